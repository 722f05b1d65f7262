import type { Redactor, StreamRedactor } from '@troupe/schema/ports'
import type { Secret } from './secrets.ts'

/** Sealed form of a literal `{{secret:`, which prevents text from injecting a reference to a secret. */
const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`
const SEALED = /\{\{secret:(?<name>[^{}:]*)(?::(?<form>\d{1,3}))?\}\}/gu

/**
 * Creates a redactor that matches secrets as plain text, JSON-escaped, HTML-escaped, URL-encoded, hexadecimal
 * and base64 (also inside longer base64 data). If two matches start at the same position, the longer one
 * wins. Returns `undefined` if there is nothing to redact.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor | undefined {
  const forms = formsByName(secrets)
  const shown = toNeedles(forms, (name) => `[redacted:${name}]`)
  if (shown.length === 0) return undefined
  const sealed = toNeedles(forms, (name, index) => `${OPENING}${name}${index === 0 ? '' : `:${index}`}}}`)
  const sealing = [...sealed, { text: OPENING, replacement: LITERAL }].toSorted(byLength)
  const starts = byFirstCharacter(shown)
  return {
    redact: (text) => hideCutSecrets(replaceAll(text, shown), shown),
    seal: (text) => replaceAll(text, sealing),
    reveal: (text) => text.replaceAll(SEALED, (...match) => revealSecret(match, forms)),
    startStream: () => redactPieces(shown, starts),
  }
}

function formsByName(secrets: readonly Secret[]): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, Set<string>>()
  for (const secret of secrets) {
    const name = shownName(secret.name)
    const known = forms.get(name) ?? new Set()
    for (const form of secretForms(secret.value)) known.add(form)
    if (known.size > 0) forms.set(name, known)
  }
  return new Map([...forms].map(([name, known]) => [name, [...known]]))
}

/** Replaces characters that would need escaping inside JSON or `{{secret:…}}`. */
function shownName(name: string): string {
  return name.replaceAll(/[^\w.-]/gu, '_')
}

/** Sorts the longest first. If two names share a form, the first name gets it. */
function toNeedles(
  forms: ReadonlyMap<string, readonly string[]>,
  replacement: (name: string, index: number) => string,
): readonly Needle[] {
  const needles = new Map<string, Needle>()
  for (const [name, texts] of forms) {
    for (const [index, text] of texts.entries()) {
      if (!needles.has(text)) needles.set(text, { text, replacement: replacement(name, index) })
    }
  }
  return [...needles.values()].toSorted(byLength)
}

function byLength(one: Needle, other: Needle): number {
  return other.text.length - one.text.length
}

function byFirstCharacter(needles: readonly Needle[]): ReadonlyMap<string, readonly Needle[]> {
  return Map.groupBy(needles, ({ text }) => text.charAt(0))
}

/** Returns the original text of a sealed match. A name without a secret stays as written. */
function revealSecret(match: readonly unknown[], forms: ReadonlyMap<string, readonly string[]>): string {
  const [written, name, form] = match as readonly [string, string, string | undefined]
  if (name === '' && form === undefined) return OPENING
  return forms.get(name)?.[Number(form ?? 0)] ?? written
}

/** Minimum length of a secret. Shorter values are likely to match by chance. */
const SHORTEST = 8

/**
 * Returns the encodings in which a secret may appear, the plain one first. Empty if the value is too short.
 */
function secretForms(secret: string): readonly string[] {
  const value = secret.trim()
  if (value.length < SHORTEST) return []
  // the round trip over bytes replaces lone surrogates, on which `encodeURIComponent` would throw
  const encoded = encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8'))
  const inJson = JSON.stringify(value).slice(1, -1)
  return [
    ...new Set([
      value,
      inJson,
      JSON.stringify(inJson).slice(1, -1),
      encoded,
      encoded.replaceAll('%20', '+'),
      encoded.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
      new URLSearchParams([['', value]]).toString().slice(1),
      ...htmlForms(value),
      ...base64Forms(value),
      ...hexForms(value),
    ]),
  ]
}

/** Returns the value escaped for HTML and XML, with each common escape of quotes. */
function htmlForms(value: string): readonly string[] {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = escaped.replaceAll('"', '&quot;')
  return [escaped, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))]
}

function hexForms(value: string): readonly string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex')
  return [hex, hex.toUpperCase()]
}

/**
 * Returns the value as base64 and base64url: whole, and at each of the three alignments within longer data.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8')
  const whole = bytes.toString('base64')
  const inside = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
    // skip characters that share bits with adjacent bytes
    const first = Math.ceil((shift * 8) / 6)
    const last = Math.floor((shifted.length * 8) / 6)
    return shifted.toString('base64').slice(first, last)
  })
  return [whole, whole.replaceAll('=', ''), ...inside].flatMap((form) => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}

/** Creates a redactor for text in pieces. It withholds the end of a piece while a secret may start there. */
function redactPieces(
  needles: readonly Needle[],
  starts: ReadonlyMap<string, readonly Needle[]>,
): StreamRedactor {
  let held = ''
  return {
    push: (piece) => {
      const text = held + piece
      const ready = firstOpenNeedle(text, { needles, starts })
      held = text.slice(ready)
      return replaceAll(text.slice(0, ready), needles)
    },
    end: () => {
      const rest = held
      held = ''
      return replaceAll(rest, needles)
    },
  }
}

/** Returns the index of the first secret that the end of `text` may cut off, or `text.length`. */
function firstOpenNeedle(
  text: string,
  {
    needles,
    starts,
  }: { readonly needles: readonly Needle[]; readonly starts: ReadonlyMap<string, readonly Needle[]> },
): number {
  const longest = needles[0]?.text.length ?? 0
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const tail = text.length - at
    const isOpen = starts
      .get(text.charAt(at))
      ?.some((needle) => needle.text.length > tail && needle.text.startsWith(text.slice(at)))
    if (isOpen === true) return beforeSpanningNeedle(text, at, needles)
  }
  return text.length
}

/** Moves the split position `at` before any complete secret that spans it. */
function beforeSpanningNeedle(text: string, at: number, needles: readonly Needle[]): number {
  let first = at
  for (const { text: needle } of needles) {
    const from = Math.max(0, at - needle.length + 1)
    const found = text.indexOf(needle, from)
    if (found !== -1 && found < at && found + needle.length > at) first = Math.min(first, found)
  }
  return first
}

const ELLIPSIS = '…'
/** Minimum length of a secret prefix to redact. Shorter prefixes reveal little and may match by chance. */
const SHORTEST_TAIL = 6

/** Redacts secrets cut off by `…`, because text may be shortened before its secrets are redacted. */
function hideCutSecrets(text: string, needles: readonly Needle[]): string {
  let result = ''
  let from = 0
  for (let at = text.indexOf(ELLIPSIS); at !== -1; at = text.indexOf(ELLIPSIS, at + 1)) {
    const cut = secretPrefixAtEnd(text.slice(from, at), needles)
    if (cut !== undefined) result += text.slice(from, at - cut.length) + cut.replacement
    else result += text.slice(from, at)
    from = at
  }
  return result + text.slice(from)
}

/** Returns the longest secret prefix that `text` ends with. */
function secretPrefixAtEnd(
  text: string,
  needles: readonly Needle[],
): { readonly length: number; readonly replacement: string } | undefined {
  const longest = needles[0]?.text.length ?? 0
  const tail = text.slice(-longest)
  for (let at = 0; at <= tail.length - SHORTEST_TAIL; at += 1) {
    const end = tail.slice(at)
    const needle = needles.find((each) => each.text.startsWith(end))
    if (needle !== undefined) return { length: end.length, replacement: needle.replacement }
  }
  return undefined
}

/** A string to search for and its replacement. */
interface Needle {
  readonly text: string
  readonly replacement: string
}

/**
 * Replaces all needles in one pass from left to right; replacements are not searched again. If two matches
 * start at the same position, the earlier needle in the list wins.
 */
function replaceAll(text: string, needles: readonly Needle[]): string {
  if (!needles.some((needle) => text.includes(needle.text))) return text
  const found: { readonly needle: Needle; at: number }[] = []
  for (const needle of needles) {
    const at = text.indexOf(needle.text)
    if (at !== -1) found.push({ needle, at })
  }
  let result = ''
  let position = 0
  while (found.length > 0) {
    const next = found.reduce((best, match) => (match.at < best.at ? match : best))
    result += text.slice(position, next.at) + next.needle.replacement
    position = next.at + next.needle.text.length
    advanceMatches(text, found, position)
  }
  return result + text.slice(position)
}

function advanceMatches(
  text: string,
  found: { readonly needle: Needle; at: number }[],
  position: number,
): void {
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const match = found[index]
    if (match === undefined || match.at >= position) continue
    match.at = text.indexOf(match.needle.text, position)
    if (match.at === -1) found.splice(index, 1)
  }
}
