import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from './load-host.ts'
import { printRefusal } from '../reporter/end.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

/** Cards, options and working folder that a stored run started with. */
export interface StoredTeam {
  readonly card: string
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
    store,
    options,
    context,
  }: {
    readonly store: RunStore
    readonly options: Parameters<typeof printPlanProblems>[1] & { readonly json?: boolean }
    readonly context: CommandContext
  },
  work: (host: Host) => Promise<number>,
): Promise<number> {
  const host = await loadHost([team.card], team.options, { ...context, cwd: team.cwd }, store)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = printPlanProblems(host.plan(), options, context)
    if (refusal === undefined) return await work(host)
    if (options.json === true) printRefusal(refusal, context.terminal.stdout)
    return EXIT.usage
  } finally {
    await host.close()
    forget()
  }
}
