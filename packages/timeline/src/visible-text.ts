// Invisible characters, controls except tab, and lone surrogates. U+FE0F after an emoji only selects its picture.
const INVISIBLE =
  /(?!\t|\uFE0F)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?<!\p{Extended_Pictographic})\uFE0F/gu

/**
 * Escapes characters that a reader cannot see or that change the order of the displayed text, such as `\u{202e}`.
 * Unlike `plainText`, it removes nothing, so that a person sees everything that a tool receives. Line breaks are
 * escaped too.
 */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
