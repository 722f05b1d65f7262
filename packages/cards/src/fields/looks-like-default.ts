const FENCE = /^---(?:ya?ml)?[ \t]*$/u
/** Allows the indentation of JSON. Lines indented further belong to schemas. */
const DEFAULT = /^(?:default|'default'| {0,2}"default")[ \t]*:[ \t]*true[ \t]*(?:,|#.*)?$/u

/**
 * Returns true if a text that cannot be parsed seems to say `default: true` at its top level, or in its front
 * matter if it has any. This keeps another card from being run instead of the intended one.
 */
export function looksLikeDefault(text: string): boolean {
  if (!text.includes('default')) return false
  const lines = text.split(/\r?\n/u)
  const opened = lines.findIndex((line) => FENCE.test(line.replace(/^\uFEFF/u, '')))
  const closed = lines.findIndex((line, index) => opened !== -1 && index > opened && FENCE.test(line))
  const end = closed === -1 ? lines.length : closed
  return lines.slice(opened + 1, end).some((line) => DEFAULT.test(line))
}
