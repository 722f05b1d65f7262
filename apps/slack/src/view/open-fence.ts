/** The code block that is open at the end of a text: the marks that it was begun with; undefined: none is. As CommonMark has it. */
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

/** What ends the code block that is open at the end of a text; empty: none is. */
export function fenceEnd(text: string): string {
  const open = openFence(text)
  if (open === undefined) return ''
  return text.endsWith('\n') ? open : `\n${open}`
}
