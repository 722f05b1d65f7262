import type { Retention } from '@troupe/host'
import { troupeError } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { parseCountOption, parseDurationOption } from '../input/option-values.ts'
import { findRootRun, withRuns, type StoreOptions } from '../run-store/open-store.ts'

export interface RunsPurgeOptions extends StoreOptions {
  readonly olderThan?: string
  /** Number of latest runs that are not purged. */
  readonly keep?: string
  /** Maximum size in bytes of all runs that are not purged. */
  readonly maxBytes?: string
  readonly all?: boolean
  readonly json?: boolean
}

/** Runs `troupe runs purge [RUN…]`: deletes runs permanently, except those that are running. */
export function runsPurgeCommand(
  runs: readonly string[],
  options: RunsPurgeOptions,
  context: CommandContext,
): Promise<number> {
  const retention = retentionOf(options)
  if (runs.length === 0 && retention === undefined && options.all !== true)
    throw troupeError('usage_invalid', 'No runs to delete were selected.', {
      fix: 'Pass their ids, or add `--older-than 30d`, `--keep 100`, `--max-bytes 1000000000` or `--all`.',
    })
  return withRuns(options, context, async (store) => {
    const purged = await store.purge(await selectRunIds(store, runs, { retention, now: context.clock.now() }))
    const text =
      options.json === true
        ? JSON.stringify({ purged })
        : `${purged} ${purged === 1 ? 'run' : 'runs'} deleted`
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

/** Returns the retention that the options ask for; `undefined` without such an option. */
function retentionOf({ olderThan, keep, maxBytes }: RunsPurgeOptions): Retention | undefined {
  if (olderThan === undefined && keep === undefined && maxBytes === undefined) return undefined
  return {
    ...(olderThan === undefined ? {} : { days: parseDurationOption(olderThan, '--older-than') / DAY_MS }),
    ...(keep === undefined ? {} : { runs: parseCountOption(keep, '--keep') }),
    ...(maxBytes === undefined ? {} : { bytes: parseCountOption(maxBytes, '--max-bytes') }),
  }
}

const DAY_MS = 24 * 60 * 60_000

async function selectRunIds(
  store: RunStore,
  runs: readonly string[],
  { retention, now }: { readonly retention: Retention | undefined; readonly now: number },
): Promise<readonly string[]> {
  const selected = await Promise.all(runs.map((run) => findRootRun(store, run)))
  const roots = selected.length > 0 ? selected : await store.roots()
  if (retention === undefined) return roots.map((root) => root.rootRunId)
  const { expiredRuns } = await import('@troupe/host')
  const sizes = retention.bytes === undefined ? undefined : await store.sizes?.()
  return expiredRuns(roots, retention, { now, sizes })
}
