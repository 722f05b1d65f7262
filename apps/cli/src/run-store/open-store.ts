import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { toFailure, troupeError, type Failure } from '@troupe/schema'
import type { RunStore, RootRunRecord } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { parseVariables } from '../input/option-values.ts'
import type { CommandContext } from '../terminal/context.ts'

/**
 * Opens the store of new runs. Throws if a store that is named cannot be opened; for the default store, prints a
 * warning and returns `undefined`.
 */
export async function openRunStore(
  options: StoreOptions & { readonly quiet?: boolean },
  context: CommandContext,
): Promise<RunStore | undefined> {
  const location = await runLocation(options, context)
  if (location === undefined) return undefined
  try {
    return await openStore(location, context)
  } catch (thrown) {
    if (location.isNamed) throw thrown
    const { message } = toFailure(thrown)
    if (options.quiet !== true) warn(`${message} The run is not saved.`, context)
    return undefined
  }
}

/** Codes of a configuration with errors, with which no team is loaded. Loading it reports all of them. */
const BROKEN: ReadonlySet<string> = new Set(['config_invalid', 'env_missing'])

/** Returns the location of the store of new runs; `undefined` without one, and for a broken configuration. */
export async function runLocation(
  options: StoreOptions,
  context: CommandContext,
): Promise<StoreLocation | undefined> {
  try {
    return await storeLocation(options, context)
  } catch (thrown) {
    if (BROKEN.has(toFailure(thrown).code)) return undefined
    throw thrown
  }
}

/** Opens a store of existing runs. Throws `store_unavailable` if its file does not exist. */
export async function openExistingStore(options: StoreOptions, context: CommandContext): Promise<RunStore> {
  const location = await storeLocation(options, context)
  if (location === undefined)
    throw troupeError(
      'store_unavailable',
      'There is no default folder for runs, because the home folder is unknown.',
      {
        fix: 'Pass a file with `--store`.',
      },
    )
  if (!storeExists(location))
    throw troupeError('store_unavailable', `${location.name}: no runs are saved there.`, {
      fix: 'Run an agent, or pass another file with `--store`.',
    })
  return openStore(location, context)
}

/** Returns false if the file of a store does not exist. A database is reached only when it is opened. */
export function storeExists({ url, name }: StoreLocation): boolean {
  return url !== undefined || existsSync(name)
}

/** Opens a store. The code for PostgreSQL is loaded only for such an address. */
export async function openStore({ url, name }: StoreLocation, context: CommandContext): Promise<RunStore> {
  const { clock, identity, env } = context
  const options = {
    clock,
    random: Math.random,
    writer: { token: randomUUID(), ...identity },
    onTrouble: createTroubleReport(context),
  }
  if (url === undefined) {
    const { openSqliteStore } = await import('@troupe/store')
    return openSqliteStore({ ...options, path: name })
  }
  const { openPostgresStore } = await import('@troupe/store-postgres')
  const directUrl = env['TROUPE_STORE_DIRECT']
  return openPostgresStore({ ...options, url, ...(directUrl ? { directUrl } : {}) })
}

/** Returns a function that prints why runs are paused, and when they continue. */
function createTroubleReport(context: CommandContext): (reason: Failure | undefined) => void {
  let isFull = false
  return (reason) => {
    if (reason === undefined)
      return warn(`${isFull ? 'There is space again' : 'The store is back'}. The run continues.`, context)
    isFull = reason.code === 'store_full'
    warn(
      `${reason.message} The run is paused until ${isFull ? 'there is space' : 'the store is back'}.`,
      context,
    )
  }
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
  /** File or PostgreSQL address of the store; false with `--no-store`. */
  readonly store?: string | false
  /** Paths of cards whose configuration may name the store. Default: the working folder. */
  readonly paths?: readonly string[]
  readonly config?: string
  readonly env?: readonly string[]
  readonly envFile?: readonly string[]
}

/** Location of a run store. */
export interface StoreLocation {
  /** Address of a PostgreSQL database; `undefined` for a file. */
  readonly url?: string
  /** Absolute path of the file, or the address without its password. */
  readonly name: string
  /** False for the default file. */
  readonly isNamed: boolean
}

/**
 * Returns the location of the run store: that of the option, else of the variable `TROUPE_STORE`, else of
 * `store.url` in the configuration, else the default file. Returns `undefined` with `--no-store`, or without a home folder.
 */
export async function storeLocation(
  options: StoreOptions,
  context: CommandContext,
): Promise<StoreLocation | undefined> {
  const { store } = options
  if (store === false) return undefined
  const named = store ?? context.env['TROUPE_STORE']
  if (named !== undefined && named !== '') return namedLocation(named, context)
  const configured = await configuredLocation(options, context)
  if (configured !== undefined) return configured
  const name = stateFile('runs.db', context)
  return name === undefined ? undefined : { name, isNamed: false }
}

async function configuredLocation(
  { paths = [], config, env = [], envFile = [] }: StoreOptions,
  context: CommandContext,
): Promise<StoreLocation | undefined> {
  const { configuredStore } = await import('@troupe/host')
  const found = configuredStore({
    cards: paths.length === 0 ? ['.'] : paths,
    cwd: context.cwd,
    env: context.env,
    envOverrides: parseVariables(env),
    envFiles: envFile,
    ...(config === undefined ? {} : { config }),
    ...(context.home === undefined ? {} : { home: context.home }),
  })
  return found === undefined ? undefined : namedLocation(found.url, { cwd: found.folder })
}

/** Returns the location that a text names: a PostgreSQL address, or a path. */
export function namedLocation(text: string, { cwd }: Pick<CommandContext, 'cwd'>): StoreLocation {
  return isPostgresAddress(text)
    ? { url: text, name: withoutPassword(text), isNamed: true }
    : { name: resolve(cwd, text), isNamed: true }
}

function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(text)
}

/** Returns the location of a store for messages: an address without its password and options. */
export function withoutPassword(store: string): string {
  if (!isPostgresAddress(store)) return store
  if (!URL.canParse(store)) return 'postgresql://…'
  const url = new URL(store)
  if (url.password !== '') url.password = 'PASSWORD'
  url.search = ''
  return url.href
}

/** Returns the path of a file in the state folder of Troupe; `undefined` without a home folder. */
export function stateFile(name: string, { env, home }: CommandContext): string | undefined {
  const folder = stateFolder(env['XDG_STATE_HOME'], home)
  return folder === undefined ? undefined : join(folder, 'troupe', name)
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

/** Maximum number of run ids in a message. */
const MAX_NEWEST = 3

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
  const newest = matching.toSorted((a, b) => (b.changedAt ?? 0) - (a.changedAt ?? 0)).slice(0, MAX_NEWEST)
  const ids = newest.map(({ rootRunId }) => rootRunId).join(', ')
  throw troupeError(
    'usage_invalid',
    `${matching.length} runs have an id that starts with ${prefix}. The latest: ${ids}.`,
    { fix: 'Pass more of the id. `troupe runs list` prints the ids.' },
  )
}
