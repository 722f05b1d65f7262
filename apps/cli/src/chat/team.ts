import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { openRunStore } from '../stored/open-store.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { tellReload, type TellOptions } from '../tell/tell-reload.ts'

/** The team of a chat, and where its runs are kept for as long as it goes on. */
export interface Team {
  readonly host: Host
  /** Runs of agents that keep nothing are not in it. */
  readonly store: RunStore
  /** The runs are still there when the program has ended. */
  readonly isKept: boolean
  close(): Promise<void>
}

/** What opens a team. */
export interface TeamSource {
  readonly card: string
  readonly options: TeamOptions & StoreOptions & TellOptions & { readonly watch?: boolean }
}

/** Loads the team. Without a file for its runs they are kept in `memory`, which outlives the team: another one can go on with its conversations. */
export async function openTeam(
  { card, options }: TeamSource,
  { memory, context }: { readonly memory: RunStore; readonly context: CommandContext },
): Promise<Team> {
  const kept = await openRunStore(options, context)
  const store = kept ?? { ...memory, close: () => undefined }
  const host = await loadHost([card], options, context, store)
  const forget = context.atExit(() => host.kill())
  if (options.watch === true) await host.watch({ onReload: (reload) => tellReload(reload, options, context) })
  return {
    host,
    store,
    isKept: kept !== undefined,
    async close() {
      await host.close()
      forget()
    },
  }
}
