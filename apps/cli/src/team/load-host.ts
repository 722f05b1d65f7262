import { join } from 'node:path'
import type { Host } from '@troupe/host'
import type { RunDispatcher, RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { parseSettings, parseVariables } from '../input/option-values.ts'
import { printNote, type MessageOptions } from '../reporter/reload.ts'
import { openTracer } from './open-tracer.ts'
import { writeNote } from './run-note.ts'

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
  /** Date for prompts that contain one, in ISO format, so that a run can be resumed on another day. */
  readonly date?: string
  /** Cards that replace those of the same names. */
  readonly edited?: readonly string[]
  /** True to reload the team when its files change. */
  readonly watch?: boolean
}

/** The run store of a host, and how it executes runs. */
interface HostRuns {
  readonly store?: RunStore | undefined
  /** Hands the runs to workers. Default: the host executes them. */
  readonly dispatcher?: RunDispatcher | undefined
  /** True for commands that send telemetry, if the environment switches it on. Default: false. */
  readonly isTraced?: boolean
  /** Absolute paths of files that agents neither read nor write. */
  readonly privateFiles?: readonly string[]
}

/**
 * Loads cards and their configuration. Invalid cards become problems of the plan; throws for invalid options
 * and configuration.
 */
export async function loadHost(
  cards: readonly string[],
  options: TeamOptions & MessageOptions,
  context: CommandContext,
  { store, dispatcher, isTraced = false, privateFiles = [] }: HostRuns = {},
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
  const tracer = isTraced ? await openTracer(context) : undefined
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
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(tracer === undefined ? {} : { tracer }),
    privateFiles,
    runNote: (date) => writeNote({ cwd: context.cwd, cards, options, date }),
    beforeCode: () => context.beforeCardCode(),
    onSlowServer: createSlowServerNote(options, context),
    ...(context.home === undefined
      ? {}
      : {
          home: context.home,
          logins: join(context.home, '.troupe', 'logins'),
          stateFolder: join(context.home, '.troupe'),
        }),
    ...(options.frozen === true ? { frozen: true } : {}),
    ...(options.date === undefined ? {} : { date: new Date(options.date) }),
    ...(options.agent === undefined ? {} : { entry: options.agent }),
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.model === undefined ? {} : { model: options.model }),
  })
  secrets.add(host.redact)
  return host
}

/** Creates a function that prints once per MCP server, at a terminal, that it is waited for. */
function createSlowServerNote(options: MessageOptions, context: CommandContext): (server: string) => void {
  const printed = new Set<string>()
  return (server) => {
    const { stderr } = context.terminal
    if (stderr.isTTY !== true || options.quiet === true || context.stop.silent || printed.has(server)) return
    printed.add(server)
    const text = `Waiting for the MCP server "${plainText(server)}", which has not started after 5 s.`
    printNote(text, options, context)
  }
}

/** Loads a team, calls `work` and closes the team with its store. Without paths, loads the working folder. */
export async function withHost<T>(
  paths: readonly string[],
  { options, ...stored }: HostRuns & { readonly options: TeamOptions },
  context: CommandContext,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const host = await loadHost(paths.length === 0 ? ['.'] : paths, options, context, stored)
  const forget = context.atExit(() => host.kill())
  try {
    return await work(host)
  } finally {
    await host.close()
    forget()
  }
}
