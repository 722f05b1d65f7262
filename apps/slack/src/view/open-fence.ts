/**
 * Returns the opening marks of the code block that is open at the end of a text, by the rules of CommonMark;
 * `undefined` if there is none.
 */
export function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(line) ?? []
    if (marks === '') continue
    if (open === undefined) open = marks.startsWith('`') && rest.includes('`') ? undefined : marks
    else if (marks.startsWith(open) && rest.trim() === '') open = undefined
  }
  return open
}

/** Returns the text that closes the code block at the end of a text; empty if none is open. */
export function fenceEnd(text: string): string {
  const open = openFence(text)
  if (open === undefined) return ''
  return text.endsWith('\n') ? open : `\n${open}`
}
