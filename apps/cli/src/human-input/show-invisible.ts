import { plainText } from '@troupe/timeline'

/** Escapes invisible characters in untrusted text, and makes its lines safe to print. */
export function showInvisible(text: string): string {
  const seen = text.replaceAll(
    /[\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return plainText(seen, { lines: true })
}
