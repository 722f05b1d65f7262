import type { Host } from '@troupe/host'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { RunDispatcher, RunStore } from '@troupe/schema/ports'
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
    dispatcher,
    options,
    context,
  }: {
    readonly store: RunStore
    readonly dispatcher?: RunDispatcher | undefined
    readonly options: Parameters<typeof printPlanProblems>[1] & { readonly json?: boolean }
    readonly context: CommandContext
  },
  work: (host: Host) => Promise<number>,
): Promise<number> {
  const runs = { store, dispatcher, isTraced: true }
  const shown = { quiet: options.quiet === true, logFormat: options.logFormat ?? 'text' }
  const host = await loadHost([team.card], { ...team.options, ...shown }, { ...context, cwd: team.cwd }, runs)
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

/**
 * Data stored with a run so that it can be resumed without naming its cards. Contains no values of variables.
 */
interface RunNote {
  readonly cwd: string
  readonly card: string
  readonly options: Omit<TeamOptions, 'env'>
  /** True if the run suspends at an approval without an approver, also after a resume. */
  readonly wait?: boolean
}

/** Options that affect the cards of a run. */
const STORED_OPTIONS = [
  'agent',
  'card',
  'agentCards',
  'config',
  'root',
  'model',
  'set',
  'envFile',
  'allowHttp',
  'allowPrivate',
  'edited',
  'date',
] as const satisfies readonly (keyof TeamOptions)[]

export function writeNote({ options, ...rest }: RunNote & { readonly options: TeamOptions }): JsonObject {
  const storedOptions = Object.fromEntries(STORED_OPTIONS.map((key) => [key, options[key]]))
  const { cwd, card, wait } = rest
  return JSON.parse(JSON.stringify({ cwd, card, options: storedOptions, wait })) as JsonObject
}

/** Reads the note of a run. Returns `undefined` if the run was not stored by the CLI. */
export function readNote(note: Json | undefined): RunNote | undefined {
  if (!isJsonObject(note) || typeof note['cwd'] !== 'string' || typeof note['card'] !== 'string')
    return undefined
  return note as unknown as RunNote
}
