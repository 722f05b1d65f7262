import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { toFailure, troupeError, type Failure } from '@troupe/schema'
import type { RunStore, RootRunRecord } from '@troupe/schema/ports'
import type { SqliteStore } from '@troupe/store'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'

/**
 * Opens the store of new runs. Throws if a store named by an option cannot be opened; for the default store,
 * prints a warning and returns `undefined`.
 */
export async function openRunStore(
  options: StoreOptions & { readonly quiet?: boolean },
  context: CommandContext,
): Promise<SqliteStore | undefined> {
  const path = storeFile(options, context)
  if (path === undefined) return undefined
  try {
    return await open(path, context)
  } catch (thrown) {
    if (options.store !== undefined) throw thrown
    const { message } = toFailure(thrown)
    if (options.quiet !== true) warn(`${message} The run is not saved.`, context)
    return undefined
  }
}

/** Opens a store of existing runs. Throws `store_unavailable` if its file does not exist. */
export async function openExistingStore(
  options: StoreOptions,
  context: CommandContext,
): Promise<SqliteStore> {
  const path = storeFile(options, context)
  if (path === undefined)
    throw troupeError(
      'store_unavailable',
      'There is no default folder for runs, because the home folder is unknown.',
      {
        fix: 'Pass a file with `--store`.',
      },
    )
  if (!existsSync(path))
    throw troupeError('store_unavailable', `${path}: no runs are saved there.`, {
      fix: 'Run an agent, or pass another file with `--store`.',
    })
  return open(path, context)
}

async function open(path: string, context: CommandContext): Promise<SqliteStore> {
  const { openSqliteStore } = await import('@troupe/store')
  return openSqliteStore({
    path,
    clock: context.clock,
    random: Math.random,
    writer: { token: randomUUID(), ...context.identity },
    onTrouble: (reason) => printStoreTrouble(reason, context),
  })
}

function printStoreTrouble(reason: Failure | undefined, context: CommandContext): void {
  warn(
    reason === undefined
      ? 'There is space again. The run continues.'
      : `${reason.message} The run is paused until there is space.`,
    context,
  )
}

function warn(text: string, { terminal, stop }: CommandContext): void {
  if (!stop.silent) terminal.stderr.write(`${terminal.style.yellow('warning:')} ${plainText(text)}\n`)
}

/** Opens a store in memory, so that runs can be followed, stopped and resumed until the process ends. */
export async function openMemoryStore({ clock }: Pick<CommandContext, 'clock'>): Promise<RunStore> {
  const { createMemoryStore } = await import('@troupe/store')
  return createMemoryStore({ clock })
}

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
function stateFolder(configured: string | undefined, home: string | undefined): string | undefined {
  if (configured !== undefined && isAbsolute(configured)) return configured
  return home === undefined ? undefined : join(home, '.local', 'state')
}

/** Opens the store, calls `work` and closes the store. */
export async function withRuns<T>(
  options: StoreOptions,
  context: CommandContext,
  work: (store: RunStore) => Promise<T>,
): Promise<T> {
  const store = await openExistingStore(options, context)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opens the store and finds a run by its id or a prefix, calls `work` and closes the store. */
export function withRun<T>(
  run: string,
  { options, context }: { readonly options: StoreOptions; readonly context: CommandContext },
  work: (root: RootRunRecord, store: RunStore) => Promise<T>,
): Promise<T> {
  return withRuns(options, context, async (store) => work(await findRootRun(store, run), store))
}

/** Finds a root run by its id or a prefix. Throws `run_unknown`, and `usage_invalid` if several match. */
export async function findRootRun(store: RunStore, prefix: string): Promise<RootRunRecord> {
  const roots = await store.roots()
  const exact = roots.find(({ rootRunId }) => rootRunId === prefix)
  if (exact !== undefined) return exact
  const matching = roots.filter(
    ({ rootRunId }) => rootRunId.startsWith(prefix) || rootRunId.startsWith(`run_${prefix}`),
  )
  const [only, ...others] = matching
  if (only === undefined) throw troupeError('run_unknown', `There is no run ${prefix} in the store.`)
  if (others.length === 0) return only
  throw troupeError('usage_invalid', `${matching.length} runs have an id that starts with ${prefix}.`, {
    fix: 'Pass more of the id.',
  })
}
