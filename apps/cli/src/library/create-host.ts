import { createHost as openHost, type Host, type HostOptions } from '@troupe/host'
import type { RunStore } from '@troupe/schema/ports'
import { callerDefaults } from './caller.ts'
import { openStore } from './open-store.ts'

/** Options of {@link createHost}: those of a host, with defaults for the environment and the working folder. */
export interface LibraryOptions extends Omit<HostOptions, 'cwd' | 'store'> {
  /** The working folder. Default: that of the process. */
  readonly cwd?: string
  /** Variables such as provider keys. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * Stores the log of every run: a file such as `runs.db`, a PostgreSQL address, or an open store. The host closes
   * it. Default: no run is stored.
   */
  readonly store?: string | RunStore
}

/**
 * Loads a team and returns its host. Errors in cards are problems of `host.plan()`, never a rejection. Rejects if the
 * store cannot be opened.
 */
export async function createHost({ store, ...options }: LibraryOptions): Promise<Host> {
  const { env, cwd } = callerDefaults()
  const opened = typeof store === 'string' ? await openStore(store) : store
  return openHost({
    ...options,
    cwd: options.cwd ?? cwd,
    env: options.env ?? env,
    ...(opened === undefined ? {} : { store: opened }),
  })
}
