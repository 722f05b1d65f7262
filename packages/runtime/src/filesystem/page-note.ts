import type { linePage } from './line-page.ts'

/** Returns the note below a page that says where to continue. Empty if the page has the whole text. */
export function pageNote({ from, to, lines, isCut }: ReturnType<typeof linePage>, what: string): string {
  const cut = isCut ? ' Long lines are truncated.' : ''
  if (lines === 0) return `[The ${what} is empty.]`
  if (from > lines) return `[The ${what} has only ${lines} lines; nothing to read from line ${from} on.]`
  if (to < lines) return `\n[Lines ${from} to ${to} of ${lines}. Continue with offset ${to + 1}.${cut}]`
  return cut === '' ? '' : `\n[${cut.trim()}]`
}
