import { troupeError } from '@troupe/schema'

/** One exact replacement. */
export interface TextEdit {
  readonly find: string
  readonly replace: string
}

/** The text after all edits, in order. Throws `tool_bad_arguments` for a piece that is not there exactly once: then nothing is changed. */
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
