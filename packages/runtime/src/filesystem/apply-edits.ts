import { troupeError } from '@troupe/schema'

/** An exact text replacement. */
export interface TextEdit {
  readonly find: string
  readonly replace: string
}

/** Applies all edits in order. Throws `tool_bad_arguments` if a text to find does not occur exactly once. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((before, { find, replace }, index) => {
    const at = before.indexOf(find)
    const isTwice = at >= 0 && before.includes(find, at + 1)
    if (at < 0 || isTwice)
      throw troupeError(
        'tool_bad_arguments',
        `edits.${index}: the text to find stands in the file ${isTwice ? 'more than once' : 'nowhere'}. Nothing was changed.`,
        { fix: isTwice ? 'Give more of the text around it.' : 'Read the file and copy the text exactly.' },
      )
    return before.slice(0, at) + replace + before.slice(at + find.length)
  }, text)
}
