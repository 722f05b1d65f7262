import type { Host, WatchedReload } from '@troupe/host'
import type { RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { openRunStore, type StoreOptions } from '../run-store/open-store.ts'
import { printReload, type MessageOptions } from '../reporter/reload.ts'

/** Team of a chat, with the store of its runs. */
export interface ChatTeam {
  readonly host: Host
  /** Store of the runs, except those of agents with `store: none`. */
  readonly store: RunStore
  /** True if the runs are still stored after the program ends. */
  readonly isPersistent: boolean
  close(): Promise<void>
}

/** Card and options that a team is opened from. */
interface TeamSource {
  readonly card: string
  readonly options: TeamOptions & StoreOptions & MessageOptions & { readonly watch?: boolean }
}

/**
 * Loads the team. Without a store file, runs are stored in `memory`, which outlives the team, so that the
 * next team can continue its conversations.
 */
export async function openTeam(
  { card, options }: TeamSource,
  {
    memory,
    context,
    onReload = (reload) => printReload(reload, options, context),
  }: {
    readonly memory: RunStore
    readonly context: CommandContext
    /** Called after a change to the files. Default: prints it. */
    readonly onReload?: ((reload: WatchedReload) => void) | undefined
  },
): Promise<ChatTeam> {
  const fileStore = await openRunStore({ ...options, paths: [card] }, context)
  const store = fileStore ?? { ...memory, close: () => undefined }
  const host = await loadHost([card], options, context, { store, isTraced: true })
  const forget = context.atExit(() => host.kill())
  if (options.watch === true) await host.watch({ onReload })
  return {
    host,
    store,
    isPersistent: fileStore !== undefined,
    async close() {
      await host.close()
      forget()
    },
  }
}
