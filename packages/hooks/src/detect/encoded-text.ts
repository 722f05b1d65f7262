import { RE2JS } from 're2js'

/** A text that was written in Base64 or as hexadecimal numbers. */
export interface EncodedText {
  readonly start: number
  readonly end: number
  readonly decoded: string
}

const BASE64 = RE2JS.compile(String.raw`[A-Za-z0-9+/_-]{20,}={0,2}`)
const HEX = RE2JS.compile(String.raw`(?:[0-9A-Fa-f]{2}[ :]?){12,}|(?:\\x[0-9A-Fa-f]{2}){8,}`)
const HEX_PAIR = /[0-9A-Fa-f]{2}/gu
/** Maximum characters of an encoded text that are decoded. */
const MAX_ENCODED = 65_536
/** Minimum share of letters and spaces in a text. */
const MIN_LETTERS = 0.7

/** Finds texts in Base64 and in hexadecimal numbers. Texts within them are not decoded again. */
export function findEncoded(text: string): readonly EncodedText[] {
  return [...findAll(text, HEX, fromHex), ...findAll(text, BASE64, fromBase64)]
}

function findAll(
  text: string,
  pattern: RE2JS,
  decode: (encoded: string) => string | undefined,
): readonly EncodedText[] {
  const found: EncodedText[] = []
  const matcher = pattern.matcher(text)
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    const decoded = decode(text.slice(start, Math.min(end, start + MAX_ENCODED)))
    if (decoded !== undefined && isText(decoded)) found.push({ start, end, decoded })
  }
  return found
}

function fromBase64(encoded: string): string | undefined {
  const plain = encoded.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '')
  try {
    return fromBytes(atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0))))
  } catch {
    // not Base64
    return undefined
  }
}

function fromHex(encoded: string): string {
  const pairs = encoded.match(HEX_PAIR) ?? []
  return fromBytes(pairs.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join(''))
}

function fromBytes(binary: string): string {
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)))
}

function isText(decoded: string): boolean {
  const letters = decoded.match(/[\p{L} ]/gu)?.length ?? 0
  return letters >= MIN_LETTERS * decoded.length
}
