import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Host, PlanProblem, HostPlan } from '@troupe/host'
import { errorMessage, TroupeError, troupeError } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { AccessRecord, EventLoopStall, ServerConfig, TroupeServer } from '@troupe/server'
import { plainText, formatDuration } from '@troupe/timeline'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { createGitRunner } from '../team/commit-cards.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { readPort } from '../input/option-values.ts'
import { serveOverStdio } from '../mcp/serve-mcp.ts'
import { isAdvice, isLoaded, printFindings } from '../reporter/plan-problems.ts'
import { runWithPreflight, findStartRefusal } from '../team/preflight.ts'
import { reloadLine } from '../reporter/reload.ts'
import { nextFiringLine } from '../reporter/schedule-table.ts'
import { HEADEND_FLAGS, type HeadendFlag } from '../input/option-choices.ts'
import { openMemoryStore, openRunStore, runLocation, stateFile } from '../run-store/open-store.ts'
import {
  loadExecutor,
  openDispatcher,
  workerDatabase,
  type WorkerStoreOptions,
} from '../run-store/open-workers.ts'
import { listenForOpen } from '../terminal/open-page.ts'
import { wrapText } from '../terminal/wrap.ts'
import { waitForStop } from '../terminal/stop.ts'

/** The options of `troupe serve`. A headend is false if `--no-<name>` was given. */
export interface ServeOptions
  extends
    Omit<TeamOptions, 'agent'>,
    WorkerStoreOptions,
    Partial<Readonly<Record<Exclude<HeadendFlag, 'mcp'>, boolean>>> {
  readonly agent?: readonly string[]
  readonly port?: string
  readonly host?: string
  readonly token?: readonly string[]
  readonly allowOrigin?: readonly string[]
  /** `stdio` to serve MCP over stdin and stdout too; false (`--no-mcp`) to not serve it over HTTP either. */
  readonly mcp?: 'stdio' | boolean
  readonly logFormat?: LogFormat
  readonly quiet?: boolean
  /** True to print an example request for each protocol. */
  readonly verbose?: boolean
  /** True if problems at start prevent the server from listening. */
  readonly strict?: boolean
}

/**
 * Runs `troupe serve [cards…]`: serves the agents of a team over every protocol on one port, until stopped.
 * Resolves with the exit code.
 */
export async function serveCommand(
  cards: readonly string[],
  options: ServeOptions,
  context: CommandContext,
): Promise<number> {
  // Capture stdout before any card code is loaded, because that code may print.
  const output = options.mcp === 'stdio' ? context.captureStdout() : undefined
  const selection = servedCards(cards, options.agent, context.cwd)
  const located = { ...options, paths: selection.cards }
  const store = (await openRunStore(located, context)) ?? (await openMemoryStore(context))
  const dispatcher = await openDispatcher(located, store, context)
  const { agent: _, ...team } = options
  const pushFile = await locatePushFile(located, context)
  const privateFiles = pushFile === undefined ? [] : [pushFile]
  const host = await loadHost(selection.cards, team, context, {
    store,
    dispatcher,
    isTraced: true,
    privateFiles,
  })
  const forget = context.atExit(() => host.kill())
  try {
    const plan = host.plan()
    const isShown = (problem: PlanProblem): boolean => {
      // All agents are served, so no default agent is needed.
      if (problem.code === 'agent_ambiguous' || isAdvice(problem)) return false
      return options.quiet !== true || problem.severity === 'error'
    }
    printFindings(plan.problems.filter(isShown), options, context)
    const agents = selection.names(host.plan())
    requireAgents(host, agents)
    const checked = {
      agents: agents ?? host.agents().map(({ name }) => name),
      keep: !hasTokens(host, options),
    }
    if (options.strict === true && (await findStartRefusal(host, checked, options, context)) !== undefined)
      return EXIT.usage
    const server = await startServer(host, { store, agents, options: located, pushFile }, context)
    if (options.watch === true) await watch(host, options, context)
    const page = pageOf(server)
    const schedules = nextFiringLine(await server.schedules())
    printServing(server, host, { agents, options, page, schedules }, context)
    const serving = (): Promise<void> =>
      output === undefined ? waitForStop(context.stop) : serveOverStdio(server.mcp, output, context)
    const ignoreKeys = page !== undefined && mayOpen(options, context) ? openOnKey(page, context) : undefined
    await runWithPreflight(host, checked, serving, options, context)
    ignoreKeys?.()
    await server.close()
    return context.stop.exitCode ?? EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

/**
 * Returns true if callers need a token. They get MCP connections of their own then, so the checked ones are
 * not reused.
 */
function hasTokens(host: Host, { token = [] }: ServeOptions): boolean {
  const { tokens, oidc, trustedProxy } = host.settings('server') ?? {}
  const hasSource = oidc !== undefined || trustedProxy !== undefined
  return token.length > 0 || hasSource || (Array.isArray(tokens) && tokens.length > 0)
}

/** Throws `agent_unknown` if no agent can be served, or if one that was asked for is missing. */
function requireAgents(host: Host, names: readonly string[] | undefined): void {
  const runnable = host.agents().map(({ name }) => name)
  const missing = names?.find((name) => !runnable.includes(name))
  if (missing === undefined && runnable.length > 0) return
  const available = `Available: ${runnable.join(', ') || 'none'}.`
  if (missing === undefined) throw troupeError('agent_unknown', 'No agent can be served.')
  throw troupeError(
    'agent_unknown',
    isLoaded(host.plan(), missing)
      ? `The agent ${missing} cannot be served because it has errors or is hidden. ${available}`
      : `There is no agent ${missing}. ${available}`,
  )
}

/** Starts the server of a team. The options and the configuration are merged. */
export async function startServer(
  host: Host,
  {
    store,
    agents,
    options,
    pushFile,
  }: {
    readonly store: RunStore
    readonly agents: readonly string[] | undefined
    readonly options: ServeOptions
    /** File with the subscriptions to notifications. Default: no notifications. */
    readonly pushFile?: string | undefined
  },
  context: CommandContext,
): Promise<TroupeServer> {
  const { createPushFile, createServer, readServerConfig } = await import('@troupe/server')
  const { openReports, REPORT_FOLDER } = await import('@troupe/evals')
  const { pushKeys: keys, ...config } = readServerConfig(host.settings('server'))
  const hooks = options.hooks === false ? undefined : host.settings('hooks')
  const { terminal, clock, stop } = context
  const workers = options.executor === 'dbos' ? await workerDatabase(options, store, context) : undefined
  const format = options.logFormat ?? (terminal.stderr.isTTY === true ? 'text' : 'json')
  const printLine = (line: string): void => {
    if (options.quiet !== true && !stop.silent) terminal.stderr.write(`${line}\n`)
  }
  const starting = createServer({
    ...config,
    ...flagsOf(options, config),
    ...(agents === undefined ? {} : { agents }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(pushFile === undefined ? {} : { push: { storage: createPushFile(pushFile), keys } }),
    evals: openReports(
      foldersOf(options.paths ?? [], context.cwd).map((folder) => join(folder, REPORT_FOLDER)),
    ),
    host,
    store,
    clock,
    newId: () => randomBytes(16).toString('hex'),
    git: createGitRunner(context),
    ...(workers === undefined
      ? {}
      : { readWorkers: async () => (await loadExecutor()).readWorkerOverview(workers.store) }),
    onAccess: (record) => printLine(accessLine(record, format)),
    onStall: (stall) => printLine(stallLine(stall)),
    onRecover: (runId) => printLine(`Resuming the run ${runId} of an earlier process.`),
    onError: (thrown) => printLine(plainText(`warning: ${errorMessage(thrown)}`)),
  })
  return starting.catch((thrown: unknown) => {
    throw withPortOption(thrown)
  })
}

/** Names the option in the fix if the server cannot listen on its port. */
function withPortOption(thrown: unknown): unknown {
  if (!TroupeError.isInstance(thrown) || !isListenError(thrown.cause)) return thrown
  return troupeError('usage_invalid', thrown.message, {
    fix: 'Stop the process that uses the port, or choose another one with `--port`. `--port 0` picks a free one.',
    cause: thrown.cause,
  })
}

function isListenError(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen'
}

/**
 * Returns the file with the subscriptions to notifications: beside the file of the run store, or in the state folder
 * for a database; `undefined` without a store.
 */
async function locatePushFile(options: ServeOptions, context: CommandContext): Promise<string | undefined> {
  const runs = await runLocation(options, context)
  if (runs === undefined) return undefined
  return runs.url === undefined ? join(dirname(runs.name), 'push.json') : stateFile('push.json', context)
}

/** Returns the folders of cards, each once. */
function foldersOf(cards: readonly string[], cwd: string): readonly string[] {
  const paths = cards.map((card) => resolve(cwd, card))
  return [...new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))))]
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Merges options into the configuration. Host and port replace it; tokens, origins and disabled protocols are
 * added to it.
 */
function flagsOf(options: ServeOptions, config: ServerConfig): ServerConfig {
  const disabled = HEADEND_FLAGS.filter((word) => options[word] === false)
  const tokens = (options.token ?? []).map((token) => ({ token }))
  return {
    ...(options.host === undefined ? {} : { hostname: options.host }),
    ...(options.port === undefined ? {} : { port: readPort(options.port) }),
    tokens: [...tokens, ...(config.tokens ?? [])],
    allowedOrigins: [...(options.allowOrigin ?? []).map(readOrigin), ...(config.allowedOrigins ?? [])],
    without: [...disabled, ...(config.without ?? [])],
  }
}

function readOrigin(value: string): string {
  if (URL.canParse(value) && /^https?:/u.test(value)) return new URL(value).origin
  throw troupeError('usage_invalid', `--allow-origin: "${value}" is not an origin.`, {
    fix: 'Write it as https://agents.example.com.',
  })
}

async function watch(host: Host, { quiet }: ServeOptions, { terminal, cwd }: CommandContext): Promise<void> {
  await host.watch({
    onReload: (reload) => {
      if (quiet !== true) terminal.stderr.write(`${reloadLine(reload, cwd)}\n`)
    },
  })
}

/** Returns the address of the web page; `undefined` if it is not served. */
export function pageOf({ examples }: TroupeServer): string | undefined {
  return examples.find(({ title }) => title === 'Web page')?.url
}

/** Returns true if `o` and Enter open the page: stdin is a terminal and nothing else reads it. */
function mayOpen({ quiet, mcp }: ServeOptions, { terminal }: CommandContext): boolean {
  return terminal.interactive && quiet !== true && mcp !== 'stdio'
}

/** Opens the page whenever the user types `o` and Enter. Returns a function that ends it. */
function openOnKey(page: string, context: CommandContext): () => void {
  return listenForOpen(context, () => {
    context.openUrl(page).catch((thrown: unknown) => {
      context.terminal.stderr.write(
        plainText(`warning: ${page} could not be opened: ${errorMessage(thrown)}\n`),
      )
    })
  })
}

function printServing(
  server: TroupeServer,
  host: Host,
  {
    agents,
    options,
    page,
    schedules,
  }: {
    readonly agents: readonly string[] | undefined
    readonly options: ServeOptions
    readonly page: string | undefined
    /** Line about the schedules whose runs the server starts. */
    readonly schedules: string | undefined
  },
  context: CommandContext,
): void {
  if (options.quiet === true) return
  const { terminal } = context
  const served = host.agents().filter(({ name }) => agents === undefined || agents.includes(name))
  // If MCP uses stdout, everything else goes to stderr.
  const lines = options.mcp === 'stdio' ? terminal.stderr : terminal.stdout
  const names = served.map(({ name }) => name).join(', ')
  const hint = mayOpen(options, context) ? ' (o and Enter open it)' : ''
  const printed = [
    `# troupe serves ${names} at ${server.url}`,
    ...(page === undefined ? [] : [`# page: ${page}${hint}`]),
    ...(schedules === undefined ? [] : [`# ${schedules}`]),
    ...(server.webhooks.length === 0 ? [] : [`# webhooks: ${server.webhooks.join(', ')}`]),
    ...(options.verbose === true
      ? exampleLines(server)
      : ['# --verbose prints an example request for each protocol']),
  ]
  lines.write(`${wrapText(printed.join('\n'), lines)}\n`)
}

/** Meaning of `--agent` in `troupe serve`: cards to load, and agents by name. */
interface ServedCards {
  readonly cards: readonly string[]
  /** Returns the names of the served agents; `undefined` for all that are not hidden. */
  names(plan: HostPlan): readonly string[] | undefined
}

/**
 * Separates the values of `--agent` into paths, which exist, and names. Adds the paths to the cards to load.
 */
function servedCards(
  cards: readonly string[],
  agents: readonly string[] | undefined,
  cwd: string,
): ServedCards {
  const isPath = (value: string): boolean => existsSync(resolve(cwd, value))
  const paths = (agents ?? []).filter(isPath)
  const allCards = [...cards, ...paths]
  return {
    cards: allCards.length === 0 ? ['.'] : allCards,
    names: (plan) =>
      agents?.map((agent) => {
        const file = resolve(cwd, agent)
        return plan.agents.find((planned) => resolve(cwd, planned.file) === file)?.name ?? agent
      }),
  }
}

/** Returns an example command for each protocol. Every line is valid in a shell. */
function exampleLines({ examples }: Pick<TroupeServer, 'examples'>): readonly string[] {
  return examples.flatMap(({ title, url, command }) => ['', `# ${title}: ${url}`, command])
}

/** Returns the warning about a blocked thread, with its possible causes. */
function stallLine({ ms }: EventLoopStall): string {
  return (
    `warning: The server could not answer requests for ${ms} ms. Either a synchronous function tool or hook ` +
    'blocked its thread, or this machine is busy. A function tool with `worker: true` does not block the server.'
  )
}

/** Formats one line of the access log, as JSON or as text. */
function accessLine(record: AccessRecord, format: LogFormat): string {
  if (format === 'json') return JSON.stringify({ ...record, time: new Date(record.time).toISOString() })
  const { method, path, status, durationMs, principal = '-', runId = '', aborted } = record
  const end = aborted === true ? 'left' : String(status)
  const time = new Date(record.time).toISOString().slice(11, 19)
  const words = [time, method, path, end, formatDuration(durationMs), principal, runId]
  return plainText(words.join(' ').trimEnd(), { max: 500 })
}
