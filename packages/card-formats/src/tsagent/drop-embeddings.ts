const JSON_LIST = /"embeddings"\s*:\s*\[[-\d\s.,eE+[\]]*\]/gu
const YAML_KEY = /^(?<indent> *)embeddings:[ \t]*(?:#.*)?$/u
/** A line of a list of numbers: `- [ -0.02, 1e-33`, `- 0.5`, `]`. */
const NUMBERS = /^[-\s[\],\d.eE+]*$/u

/**
 * Removes the search vectors that tsagent saves in its files, which are most of their size. Lines keep their
 * numbers. Other texts are returned unchanged.
 */
export function dropEmbeddings(text: string, path: string): string {
  if (!/\.(?:ya?ml|json)$/iu.test(path)) return text
  if (!text.includes('embeddings') || !text.includes('systemPrompt')) return text
  return /\.json$/iu.test(path)
    ? text.replaceAll(JSON_LIST, (list) => `"embeddings": [${list.replaceAll(/[^\n]/gu, '')}]`)
    : dropYaml(text)
}

function dropYaml(text: string): string {
  const lines = text.split('\n')
  let dropped: number | undefined
  const kept = lines.map((line, index) => {
    if (dropped !== undefined && isPartOf(line, dropped)) return ''
    const indent = YAML_KEY.exec(line)?.groups?.['indent']
    // A prompt may have such a line, too, but without numbers below it.
    dropped = isNumbers(lines[index + 1] ?? '') ? indent?.length : undefined
    return dropped === undefined ? line : ''
  })
  return kept.join('\n')
}

/** Returns true for a line of numbers in the list of a key with this indentation, or an empty line. */
function isPartOf(line: string, indent: number): boolean {
  const own = line.search(/[^ ]/u)
  return own === -1 || (isNumbers(line) && own >= indent)
}

function isNumbers(line: string): boolean {
  return NUMBERS.test(line) && /[\d\]]/u.test(line)
}
