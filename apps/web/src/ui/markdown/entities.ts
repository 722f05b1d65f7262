import { decodeNamedCharacterReference } from 'decode-named-character-reference'

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([\da-zA-Z]{1,31}));/gu

/** Replaces HTML character references, such as `&copy;`, with their characters. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(ENTITY, (source, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return decodeNamedCharacterReference(name) || source
    return character(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
  })
}

const REPLACEMENT = '\uFFFD'

function character(code: number): string {
  const isValid = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff)
  return isValid ? String.fromCodePoint(code) : REPLACEMENT
}
