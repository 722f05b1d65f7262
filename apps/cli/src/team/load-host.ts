import { join } from 'node:path'
import type { Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema/ports'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { parseSettings, parseVariables } from '../input/option-values.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { printRefusal } from '../reporter/end.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

/** Options for loading a team. */
export interface TeamOptions {
  readonly agent?: string
  readonly card?: readonly string[]
  readonly agentCards?: readonly string[]
  readonly config?: string
  readonly root?: string
  readonly model?: string
  readonly set?: readonly string[]
  readonly env?: readonly string[]
  readonly envFile?: readonly string[]
  /** True to leave out tools that differ from troupe.lock. */
  readonly frozen?: boolean
  readonly allowHttp?: boolean
  readonly allowPrivate?: boolean
  /** Cards that replace those of the same names. */
  readonly edited?: readonly string[]
  /** True to reload the team when its files change. */
  readonly watch?: boolean
}

/**
 * Loads cards and their configuration. Invalid cards become problems of the plan; throws for invalid options
 * and configuration.
 */
export async function loadHost(
  cards: readonly string[],
  options: TeamOptions,
  context: CommandContext,
  store?: RunStore,
): Promise<Host> {
  const extraCards = [...(options.card ?? []), ...(options.agentCards ?? [])]
  const overrides = {
    envOverrides: parseVariables(options.env ?? []),
    set: parseSettings(options.set ?? []),
  }
  const [{ createHost }, { createOverlay, createRedactor }] = await Promise.all([
    import('@troupe/host'),
    import('@troupe/env'),
  ])
  const { secrets } = context.terminal
  const layers = [
    { origin: 'override', values: overrides.envOverrides },
    { origin: 'process', values: context.env },
  ]
  for (const layer of layers) {
    const redactor = createRedactor(createOverlay([layer]).secrets())
    if (redactor !== undefined) secrets.add(redactor.redact)
  }
  const host = await createHost({
    cards,
    extraCards,
    ...overrides,
    envFiles: options.envFile ?? [],
    edited: options.edited ?? [],
    env: context.env,
    remote: { allowHttp: options.allowHttp === true, allowPrivate: options.allowPrivate === true },
    cwd: context.cwd,
    ...(store === undefined ? {} : { store }),
    beforeCode: () => context.beforeCardCode(),
    ...(context.home === undefined
      ? {}
      : {
          home: context.home,
          logins: join(context.home, '.troupe', 'logins'),
          stateFolder: join(context.home, '.troupe'),
        }),
    ...(options.frozen === true ? { frozen: true } : {}),
    ...(options.agent === undefined ? {} : { entry: options.agent }),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  secrets.add(host.redact)
  return host
}

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
