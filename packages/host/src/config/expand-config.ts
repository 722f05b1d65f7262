import { expandValues, missingVariables } from '@troupe/env'
import { isJsonObject, TroupeError, type Failure, type Json, type JsonObject } from '@troupe/schema'
import type { Environment } from './environments.ts'
import type { LoadedConfig } from './read-config.ts'

/** Keys that sessions and surfaces expand on use, each with its own variables. */
const EXPANDED_LATER: ReadonlySet<string> = new Set([
  '$schema',
  'mcpServers',
  'models',
  'providers',
  'server',
  'slack',
])

/** A configuration with the team-wide variables expanded. */
interface ExpandedConfig {
  readonly value: JsonObject
  readonly missing?: Failure
}

/**
 * Expands the variables of everything that is not specific to a session: all but servers, providers, models
 * and surfaces.
 */
export function expandConfig(source: JsonObject, environmentOf: () => Environment): ExpandedConfig {
  const teamWide = Object.fromEntries(
    Object.entries(source).flatMap(([key, value]) =>
      EXPANDED_LATER.has(key) ? [] : [[key, withoutModel(key, value)]],
    ),
  )
  if (!JSON.stringify(teamWide).includes('${')) return { value: source }
  const environment = environmentOf()
  const { value, missing } = expandValues(teamWide, environment.overlay)
  const expanded = { ...source, ...value, ...defaultsOf(source, value) }
  return missing.length === 0
    ? { value: expanded }
    : { value: expanded, missing: missingVariables(missing, environment) }
}

function withoutModel(key: string, value: Json): Json {
  if (key !== 'defaults' || !isJsonObject(value)) return value
  const { model: _model, ...rest } = value
  return rest
}

/** Returns `defaults` with its model unexpanded. */
function defaultsOf({ defaults: source }: JsonObject, { defaults }: JsonObject): JsonObject {
  if (!isJsonObject(source) || !isJsonObject(defaults) || source['model'] === undefined) return {}
  return { defaults: { ...defaults, model: source['model'] } }
}

/** Keys of the configuration that surfaces read and validate themselves. */
export type SurfaceKey = 'server' | 'slack'

/**
 * Returns the settings of a surface with variables expanded, or `undefined` if there are none. Throws
 * `env_missing` if a variable has no value.
 */
export function surfaceSettings(
  { config, environment }: { readonly config: LoadedConfig; readonly environment: Environment },
  key: SurfaceKey,
): JsonObject | undefined {
  const settings = config.config[key]
  if (settings === undefined) return undefined
  const { value, missing } = expandValues(settings, environment.overlay)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return value
}
