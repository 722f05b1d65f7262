/**
 * Returns the prose of a card byte for byte: the text after the front matter, or the whole text if there is
 * none.
 */
export function originalBody(text: string): string {
  const content = text.replace(/^\uFEFF/u, '').replace(/^#!.*\n?/u, '')
  if (!/^---(?:ya?ml)?[ \t]*\r?\n/u.test(content)) return content
  let start = content.indexOf('\n') + 1
  while (start > 0 && start < content.length) {
    const end = content.indexOf('\n', start)
    const line = content.slice(start, end === -1 ? undefined : end)
    if (/^---[ \t]*\r?$/u.test(line)) return end === -1 ? '' : content.slice(end + 1)
    start = end + 1
  }
  return ''
}
