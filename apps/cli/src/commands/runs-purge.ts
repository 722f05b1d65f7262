import { troupeError, type RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { parseDurationOption } from '../option-values.ts'
import { findRoot } from '../stored/find-root.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { withRuns } from '../stored/with-run.ts'

/** The options of `troupe runs purge`. */
export interface RunsPurgeOptions extends StoreOptions {
  readonly olderThan?: string
  readonly all?: boolean
  readonly json?: boolean
}

/** `troupe runs purge [RUN…]`: forgets runs for good. Those that a process works on stay. */
export function runsPurgeCommand(
  given: readonly string[],
  options: RunsPurgeOptions,
  context: CommandContext,
): Promise<number> {
  if (given.length === 0 && options.olderThan === undefined && options.all !== true)
    throw troupeError('usage_invalid', 'It is not said which runs to forget.', {
      fix: 'Name them, or add `--older-than 30d` or `--all`.',
    })
  return withRuns(options, context, async (store) => {
    const purged = await store.purge(await chosen(store, given, { options, context }))
    const text =
      options.json === true
        ? JSON.stringify({ purged })
        : `${purged} ${purged === 1 ? 'run' : 'runs'} forgotten`
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

async function chosen(
  store: RunStore,
  given: readonly string[],
  { options, context }: { readonly options: RunsPurgeOptions; readonly context: CommandContext },
): Promise<readonly string[]> {
  const named = await Promise.all(given.map((run) => findRoot(store, run)))
  const roots = named.length > 0 ? named : await store.roots()
  if (options.olderThan === undefined) return roots.map((root) => root.rootRunId)
  const before = context.clock.now() - parseDurationOption(options.olderThan, '--older-than')
  return roots.filter(({ changedAt = 0 }) => changedAt <= before).map((root) => root.rootRunId)
}
