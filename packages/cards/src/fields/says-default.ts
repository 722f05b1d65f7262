const FENCE = /^---(?:ya?ml)?[ \t]*$/u
/** JSON is indented, and deeper lines are those of schemas. */
const DEFAULT = /^(?:default|'default'| {0,2}"default")[ \t]*:[ \t]*true[ \t]*(?:,|#.*)?$/u

/**
 * True for a text that cannot be parsed and yet says `default: true` on a line of its top level. Only the front matter counts where
 * there is one. A guess, and a safe one: it keeps another card from being run in place of the one that was meant.
 */
export function saysDefault(text: string): boolean {
  if (!text.includes('default')) return false
  const lines = text.split(/\r?\n/u)
  const opened = lines.findIndex((line) => FENCE.test(line.replace(/^\uFEFF/u, '')))
  const closed = lines.findIndex((line, index) => opened !== -1 && index > opened && FENCE.test(line))
  const end = closed === -1 ? lines.length : closed
  return lines.slice(opened + 1, end).some((line) => DEFAULT.test(line))
}
