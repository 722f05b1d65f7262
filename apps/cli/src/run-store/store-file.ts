import { isAbsolute, join, resolve } from 'node:path'
import type { CommandContext } from '../terminal/context.ts'

export interface StoreOptions {
  /** File of the store; false with `--no-store`. */
  readonly store?: string | false
}

/**
 * Returns the file of the run store: the named one, or `troupe/runs.db` in the user's state folder. Returns
 * `undefined` with `--no-store`, or without a home folder.
 */
export function storeFile({ store }: StoreOptions, { cwd, env, home }: CommandContext): string | undefined {
  if (store === false) return undefined
  if (store !== undefined) return resolve(cwd, store)
  const folder = stateFolder(env['XDG_STATE_HOME'], home)
  return folder === undefined ? undefined : join(folder, 'troupe', 'runs.db')
}

/** Returns the state folder. The XDG specification requires a relative `XDG_STATE_HOME` to be ignored. */
function stateFolder(given: string | undefined, home: string | undefined): string | undefined {
  if (given !== undefined && isAbsolute(given)) return given
  return home === undefined ? undefined : join(home, '.local', 'state')
}
