import { resolve } from 'node:path'
import { TroupeError } from '@troupe/schema'
import { folderOf } from '../cards/card-reference.ts'
import { createEnvironments } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import { problemFailure } from '../config/plan-problem.ts'
import { readConfig } from '../config/read-config.ts'

/** The store that a configuration names. */
export interface ConfiguredStore {
  /** The value of `store.url` with its variables expanded: an address, or a path relative to `folder`. */
  readonly url: string
  /** Folder of the configuration. */
  readonly folder: string
}

/**
 * Returns the store that the configuration of a team names; `undefined` if it names none. Throws the first error
 * of the configuration, because the runs may belong elsewhere.
 */
export function configuredStore(
  options: Pick<HostOptions, 'cards' | 'config' | 'cwd' | 'home' | 'env' | 'envOverrides' | 'envFiles'>,
): ConfiguredStore | undefined {
  const cwd = resolve(options.cwd)
  const { config, folder, problems } = readConfig({
    config: options.config,
    from: folderOf(options.cards[0], cwd),
    cwd,
    home: options.home,
    environmentOf: (location) =>
      createEnvironments({
        ...options,
        cwd,
        configFolder: location.file === undefined ? undefined : location.folder,
      }).of(location.folder),
  })
  const error = problems.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new TroupeError(problemFailure(error))
  const url = config.store?.url
  return url === undefined ? undefined : { url, folder }
}
