import { expandValues, missingVariables } from '@troupe/env'
import { TroupeError, type JsonObject } from '@troupe/schema'
import type { LoadedHost } from '../load-host.ts'

/** The parts of a configuration that belong to surfaces: they read and check them. */
export type SurfaceKey = 'server' | 'slack'

/** What the configuration says for a surface, its variables filled in; undefined: nothing. Throws `env_missing` where one has no value. */
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
