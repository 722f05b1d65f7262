import type { DbosDispatcherOptions } from '@troupe/executor-dbos'
import { errorMessage, troupeError } from '@troupe/schema'
import type { RunDispatcher, RunStore } from '@troupe/schema/ports'
import type { PostgresStore } from '@troupe/store-postgres'
import { plainText } from '@troupe/timeline'
import { parseCountOption } from '../input/option-values.ts'
import type { CommandContext } from '../terminal/context.ts'
import { storeLocation, type StoreOptions } from './open-store.ts'

/** Options of commands that hand runs to workers. */
export interface WorkerStoreOptions extends StoreOptions {
  /** `dbos` to execute runs on workers. Default: in this process. */
  readonly executor?: 'in-process' | 'dbos'
  /** Number of depths that the workers have queues for. */
  readonly depths?: string
}

/** Returns the connection to the workers; `undefined` if this process executes the runs. */
export async function openDispatcher(
  options: WorkerStoreOptions,
  store: RunStore | undefined,
  context: CommandContext,
): Promise<RunDispatcher | undefined> {
  if (options.executor !== 'dbos') return undefined
  const { createDbosDispatcher } = await loadExecutor()
  return createDbosDispatcher({
    ...(await workerDatabase(options, store, context)),
    ...depthsOf(options),
    onError: (thrown) => printWarning(thrown, context),
  })
}

/**
 * Returns the connection to the workers if they execute a stored run, or if the options ask for it;
 * otherwise `undefined`.
 */
export async function openDispatcherOf(
  rootRunId: string,
  { options, store }: { readonly options: WorkerStoreOptions; readonly store: RunStore },
  context: CommandContext,
): Promise<RunDispatcher | undefined> {
  const isOnWorkers = isPostgres(store) && (await (await loadExecutor()).isWorkerRun(store, rootRunId))
  return openDispatcher(isOnWorkers ? { ...options, executor: 'dbos' } : options, store, context)
}

/** Loads the executor on demand, because few commands need it. */
export const loadExecutor = () => import('@troupe/executor-dbos')

/** Returns the database that servers and workers share. Throws `usage_invalid` if the store is not one. */
export async function workerDatabase(
  options: StoreOptions,
  store: RunStore | undefined,
  context: CommandContext,
): Promise<Pick<DbosDispatcherOptions, 'store' | 'url' | 'clock'>> {
  const { url } = (await storeLocation(options, context)) ?? {}
  if (url === undefined || store === undefined || !isPostgres(store))
    throw troupeError('usage_invalid', 'Workers need a store in PostgreSQL.', {
      fix: 'Pass its address: --store postgresql://user:password@host:5432/database',
    })
  return { store, url: context.env['TROUPE_STORE_DIRECT'] || url, clock: context.clock }
}

function isPostgres(store: RunStore): store is PostgresStore {
  return 'openRun' in store
}

/** Returns the number of depths that an option names. */
export function depthsOf({ depths }: Pick<WorkerStoreOptions, 'depths'>): { readonly depths?: number } {
  return depths === undefined ? {} : { depths: parseCountOption(depths, '--depths') }
}

/** Prints an error that the program survives. */
export function printWarning(thrown: unknown, { terminal, stop }: CommandContext): void {
  if (!stop.silent)
    terminal.stderr.write(`${terminal.style.yellow('warning:')} ${plainText(errorMessage(thrown))}\n`)
}
