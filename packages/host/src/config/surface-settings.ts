import { expandValues, missingVariables } from '@troupe/env'
import { TroupeError, type JsonObject } from '@troupe/schema'
import type { LoadedHost } from '../load-host.ts'

/** Keys of the configuration that surfaces read and validate themselves. */
export type SurfaceKey = 'server' | 'slack'

/**
 * Returns the settings of a surface with variables expanded, or `undefined` if there are none. Throws
 * `env_missing` if a variable has no value.
 */
export function surfaceSettings(
  { config, environment }: Pick<LoadedHost, 'config' | 'environment'>,
  key: SurfaceKey,
): JsonObject | undefined {
  const written = config.config[key]
  if (written === undefined) return undefined
  const { value, missing } = expandValues(written, environment.overlay)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return value
}
