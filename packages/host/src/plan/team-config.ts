import { resolve } from 'node:path'
import { TroupeError, type JsonObject } from '@troupe/schema'
import { folderOf } from '../cards/card-reference.ts'
import { createEnvironments, type Environment } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import { problemFailure } from '../config/plan-problem.ts'
import { readConfig, surfaceSettings, type ConfigLocation, type LoadedConfig } from '../config/read-config.ts'

/** The store that a configuration names. */
export interface ConfiguredStore {
  /** The value of `store.url` with its variables expanded: an address, or a path relative to `folder`. */
  readonly url: string
  /** Folder of the configuration. */
  readonly folder: string
}

/** Options that locate the configuration of a team. */
type ConfigSource = Pick<
  HostOptions,
  'cards' | 'config' | 'cwd' | 'home' | 'env' | 'envOverrides' | 'envFiles'
>

/**
 * Returns the store that the configuration of a team names; `undefined` if it names none. Throws the first error
 * of the configuration, because the runs may belong elsewhere.
 */
export function configuredStore(options: ConfigSource): ConfiguredStore | undefined {
  const { config, folder } = requireConfig(options).config
  const url = config.store?.url
  return url === undefined ? undefined : { url, folder }
}

/**
 * Returns `server` of the configuration of a team, without loading its cards; `undefined` if there is none. Throws
 * the first error of the configuration, and `env_missing`.
 */
export function configuredServer(options: ConfigSource): JsonObject | undefined {
  return surfaceSettings(requireConfig(options), 'server')
}

/** Reads a configuration with the variables of its folder. Throws its first error. */
function requireConfig(options: ConfigSource): {
  readonly config: LoadedConfig
  readonly environment: Environment
} {
  const cwd = resolve(options.cwd)
  const environmentOf = (location: ConfigLocation): Environment =>
    createEnvironments({
      ...options,
      cwd,
      configFolder: location.file === undefined ? undefined : location.folder,
    }).of(location.folder)
  const config = readConfig({
    config: options.config,
    from: folderOf(options.cards[0], cwd),
    cwd,
    home: options.home,
    environmentOf,
  })
  const error = config.problems.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new TroupeError(problemFailure(error))
  return { config, environment: environmentOf(config) }
}
