import { failure, type Failure } from '@troupe/schema'

/** Origins of layers, in words. A file stands for itself. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['override', '--env'],
  ['process', 'the shell'],
])
const SIDECAR = 'troupe.env beside the card'

/** The failure of variables that no layer sets (C44): `env_missing`, with every missing name and every place searched. */
export function missingVariables(
  names: readonly string[],
  options: { readonly searched: readonly string[] },
): Failure {
  const missing = [...new Set(names)]
  const it = missing.length === 1 ? 'it' : 'them'
  const files = options.searched.filter((place) => !isPlace(place))
  const where = files.length === 0 ? SIDECAR : files.join(' or ')
  const searched = options.searched.map((place) => PLACES.get(place) ?? place).join(', ')
  return failure(
    'env_missing',
    `Missing: ${missing.join(', ')}; define ${it} in the shell or in ${where}` +
      (searched === '' ? '' : ` (searched: ${searched})`),
    `Define ${it} in the shell, in ${where}, or with --env ${missing[0] ?? 'NAME'}=VALUE.`,
  )
}

function isPlace(place: string): boolean {
  return PLACES.has(place) || [...PLACES.values()].includes(place)
}
