import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from './load-host.ts'
import { printRefusal } from '../reporter/json.ts'
import { tellProblems } from '../tell/tell-problems.ts'

/** The cards and options that a kept run began with, and where that was. */
export interface BegunTeam {
  readonly card: string
  readonly cwd: string
  readonly options: TeamOptions
}

/** Loads the team of a kept run for the work, unless something is wrong with it, and closes it and its store in the end. Gives the exit code. */
export async function withTeam(
  team: BegunTeam,
  {
    store,
    options,
    context,
  }: {
    readonly store: RunStore
    readonly options: Parameters<typeof tellProblems>[1] & { readonly json?: boolean }
    readonly context: CommandContext
  },
  work: (host: Host) => Promise<number>,
): Promise<number> {
  const host = await loadHost([team.card], team.options, { ...context, cwd: team.cwd }, store)
  const forget = context.atExit(() => host.kill())
  try {
    const refusal = tellProblems(host.plan(), options, context)
    if (refusal === undefined) return await work(host)
    if (options.json === true) printRefusal(refusal, context.terminal.stdout)
    return EXIT.usage
  } finally {
    await host.close()
    forget()
  }
}
