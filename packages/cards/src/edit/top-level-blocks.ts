import { isMap, isScalar, parseDocument } from 'yaml'

/** The lines of one top-level key. */
export interface TopLevelBlock {
  readonly key: string
  readonly start: number
  /** Offset after its last own line. Blank lines and comments at the margin belong to the next key. */
  readonly end: number
}

/** Returns the blocks of a block-style mapping, or `undefined` for any other document. */
export function topLevelBlocks(text: string): readonly TopLevelBlock[] | undefined {
  const { contents, errors } = parseDocument(text, { schema: 'core' })
  if (text.trim() === '' || contents === null) return errors.length === 0 ? [] : undefined
  if (errors.length > 0 || !isMap(contents) || contents.flow === true) return undefined
  const keys: { readonly key: string; readonly start: number }[] = []
  for (const { key } of contents.items) {
    const start = isScalar(key) ? key.range?.[0] : undefined
    // A key that does not begin its line has a tag, a question mark or quotes over several lines.
    if (start === undefined || (start > 0 && text[start - 1] !== '\n')) return undefined
    keys.push({ key: String((key as { readonly value: unknown }).value), start })
  }
  return keys.map(({ key, start }, index) => ({
    key,
    start,
    end: ownEnd(text, start, keys[index + 1]?.start ?? text.length),
  }))
}

function ownEnd(text: string, start: number, next: number): number {
  const block = text.slice(start, next)
  const lines = block.split(/(?<=\n)/u)
  while (lines.length > 1 && /^(?:[ \t]*\r?\n?|#.*\r?\n?)$/u.test(lines.at(-1) ?? '')) lines.pop()
  return start + lines.join('').length
}
