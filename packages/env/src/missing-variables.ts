import { failure, type Failure } from '@troupe/schema'

/** Display names of layer origins. A file is shown by its path. */
const SOURCE_NAMES: ReadonlyMap<string, string> = new Map([
  ['override', '--env'],
  ['process', 'the shell'],
])
/** Origin shown if an embedder passed no environment. */
export const ENV_OPTION = 'the `env` option'
const SIDECAR = 'troupe.env beside the card'

/** Creates the `env_missing` failure, which lists every missing name and every searched source. */
export function missingVariables(
  names: readonly string[],
  options: { readonly searched: readonly string[] },
): Failure {
  const missing = [...new Set(names)]
  const it = missing.length === 1 ? 'it' : 'them'
  const files = options.searched.filter((source) => !isNamedSource(source))
  const where = files.length === 0 ? SIDECAR : files.join(' or ')
  const isEmbedded = options.searched.includes(ENV_OPTION)
  const shell = isEmbedded
    ? `pass \`env: process.env\` if the shell defines ${it}, or define ${it}`
    : `define ${it} in the shell or`
  const searched = options.searched.map((source) => SOURCE_NAMES.get(source) ?? source).join(', ')
  return failure(
    'env_missing',
    `Missing: ${missing.join(', ')}; ${shell} in ${where}` +
      (searched === '' ? '' : ` (searched: ${searched})`),
    isEmbedded
      ? `Pass \`env: process.env\` to use the variables of the shell, or define ${it} in ${where}.`
      : `Define ${it} in the shell, in ${where}, or with --env ${missing[0] ?? 'NAME'}=VALUE.`,
  )
}

function isNamedSource(source: string): boolean {
  return source === ENV_OPTION || SOURCE_NAMES.has(source) || [...SOURCE_NAMES.values()].includes(source)
}
