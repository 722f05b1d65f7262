import type { HostOptions } from '../config/host-options.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { TeamMember } from './collect-team.ts'

/**
 * Source of a value, strongest first: an option of the host, the card, the configuration, or the built-in
 * default.
 */
export type FieldOrigin = 'option' | 'card' | 'configuration' | 'default'

/** Sources of values besides the card. */
interface FieldSources {
  readonly options: Pick<HostOptions, 'model' | 'set'>
  readonly config: LoadedConfig
  readonly isEntry: boolean
}

/**
 * Returns the source of a value. `path` leads into mappings, as in `['limits', 'maxTurns']`. Keys of agents
 * from code count as defaults.
 */
export function fieldOrigin(
  { card }: Pick<TeamMember, 'card'>,
  path: readonly string[],
  { options, config, isEntry }: FieldSources,
): FieldOrigin {
  if (isEntry && Object.keys(options.set ?? {}).some((key) => isWithin(key, path))) return 'option'
  if (path[0] === 'model' && options.model !== undefined) return 'option'
  if (card.positionOf?.(path) !== undefined) return 'card'
  return isConfigured(path, config) ? 'configuration' : 'default'
}

function isWithin(key: string, path: readonly string[]): boolean {
  const dotted = path.join('.')
  return key === dotted || key.startsWith(`${dotted}.`) || dotted.startsWith(`${key}.`)
}

function isConfigured(
  [key = '', limit = '']: readonly string[],
  { config: { defaults = {}, permissions } }: LoadedConfig,
): boolean {
  if (key === 'permissions') return permissions !== undefined
  if (key === 'model') return defaults.model !== undefined
  return key === 'limits' && Object.hasOwn(defaults.limits ?? {}, limit)
}
