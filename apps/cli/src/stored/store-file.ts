import { isAbsolute, join, resolve } from 'node:path'
import type { CommandContext } from '../context.ts'

/** The options that say where runs are kept. */
export interface StoreOptions {
  /** A file; `false`: `--no-store`. */
  readonly store?: string | false
}

/** The file that keeps runs: the one named, else `troupe/runs.db` in the state folder of the user. Undefined: there is no place, or none is wanted. */
export function storeFile({ store }: StoreOptions, { cwd, env, home }: CommandContext): string | undefined {
  if (store === false) return undefined
  if (store !== undefined) return resolve(cwd, store)
  const folder = stateFolder(env['XDG_STATE_HOME'], home)
  return folder === undefined ? undefined : join(folder, 'troupe', 'runs.db')
}

/** The specification of these folders has a relative one ignored. */
function stateFolder(given: string | undefined, home: string | undefined): string | undefined {
  if (given !== undefined && isAbsolute(given)) return given
  return home === undefined ? undefined : join(home, '.local', 'state')
}
