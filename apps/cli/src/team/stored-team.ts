import type { Host } from '@troupe/host'
import type { RunDispatcher, RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from './load-host.ts'
import { printRefusal } from '../reporter/end.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

/** Cards, options and working folder that a stored run started with. */
export interface StoredTeam {
  readonly cards: readonly string[]
  readonly cwd: string
  readonly options: TeamOptions
}

/**
 * Loads the team of a stored run and calls `work`, unless the team has blocking problems. Closes the team and
 * its store. Returns the exit code.
 */
export async function withTeam(
  team: StoredTeam,
  {
    agent,
    store,
    dispatcher,
    options,
    context,
  }: {
    /** Agent to run. Default: the entry agent. */
    readonly agent?: string | undefined
    readonly store: RunStore
    readonly dispatcher?: RunDispatcher | undefined
    readonly options: Parameters<typeof printPlanProblems>[1] & { readonly json?: boolean }
    readonly context: CommandContext
  },
  work: (host: Host) => Promise<number>,
): Promise<number> {
  const runs = { store, dispatcher, isTraced: true }
  const shown = { quiet: options.quiet === true, logFormat: options.logFormat ?? 'text' }
  const host = await loadHost(team.cards, { ...team.options, ...shown }, { ...context, cwd: team.cwd }, runs)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = printPlanProblems(host.plan(), { ...options, agent }, context)
    if (refusal === undefined) return await work(host)
    if (options.json === true) printRefusal(refusal, context.terminal.stdout)
    return EXIT.usage
  } finally {
    await host.close()
    forget()
  }
}
