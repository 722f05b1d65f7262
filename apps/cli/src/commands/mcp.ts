import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Host, HostPlan } from '@troupe/host'
import { createMetaMcp, type CallRecord, type MetaMcp, type ResourceSource } from '@troupe/meta-mcp'
import { LOCAL_PRINCIPAL, toWireName, errorMessage, troupeError, type AgentDefinition } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { hostConfiguration, serverArguments, type ServerAddress } from '../mcp/host-configuration.ts'
import type { HostName } from '../input/option-choices.ts'
import { readPort } from '../input/option-values.ts'
import { serveOverHttp, serveOverStdio } from '../mcp/serve-mcp.ts'
import { printCall, withPrintedEvents, printServing, warn } from '../mcp/print-serving.ts'
import { openRunStore, type StoreOptions } from '../run-store/open-store.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { printReload, type MessageOptions } from '../reporter/reload.ts'

export interface McpOptions extends TeamOptions, StoreOptions {
  readonly http?: boolean
  readonly port?: string
  readonly printConfig?: HostName
  /** File that gets one line per call. */
  readonly audit?: string
  readonly watch?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/**
 * Runs `troupe mcp <card>`: serves the exported tools of an agent over stdio until the client disconnects, or
 * over HTTP until stopped. With `printConfig`, only prints the configuration for an MCP host. Resolves with
 * the exit code.
 */
export async function mcpCommand(
  card: string,
  options: McpOptions,
  context: CommandContext,
): Promise<number> {
  // Capture stdout before any card code is loaded, because that code may print.
  const output = context.captureStdout()
  const port = readPort(options.port)
  const isServed = options.printConfig === undefined
  const store = isServed ? await openRunStore({ ...options, paths: [card] }, context) : undefined
  const host = await loadHost([card], options, context, { store, isTraced: true })
  const forget = context.atExit(() => host.kill())
  try {
    if (printPlanProblems(host.plan(), options, context) !== undefined) return EXIT.usage
    const agent = host.definition(host.plan().entry)
    const meta = openMeta(host, agent, { store, options, context })
    const onReady = (url?: string): void => printServing(agent, { tools: meta.tools, url }, options, context)
    if (options.printConfig !== undefined) {
      const address = toServerAddress(card, { plan: host.plan(), options }, context)
      output.write(`${hostConfiguration(options.printConfig, toWireName(agent.name), address)}\n`)
    } else await serve(meta, { host, agent, output, port, onReady, options }, context)
    return context.stop.exitCode ?? EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

async function serve(
  meta: MetaMcp,
  {
    host,
    agent,
    output,
    port,
    onReady,
    options,
  }: {
    readonly host: Host
    readonly agent: AgentDefinition
    readonly output: Writable
    readonly port: number
    onReady(url?: string): void
    readonly options: McpOptions
  },
  context: CommandContext,
): Promise<void> {
  const stopWatching =
    options.watch === true ? await watchTools(host, { meta, name: agent.name, options }, context) : undefined
  try {
    if (options.http === true) return await serveOverHttp(meta, { port, onReady }, context)
    onReady()
    await serveOverStdio(meta, output, context)
  } finally {
    await stopWatching?.()
    meta.close()
  }
}

function openMeta(
  host: Host,
  agent: AgentDefinition,
  {
    store,
    options,
    context,
  }: {
    readonly store: RunStore | undefined
    readonly options: McpOptions
    readonly context: CommandContext
  },
): MetaMcp {
  const audit = options.audit === undefined ? undefined : auditFile(options.audit, context.cwd)
  return createMetaMcp({
    agent,
    runner: {
      run: (name, input, run = {}) => host.run(name, input, withPrintedEvents(run, options, context)),
    },
    newContextId: randomUUID,
    clock: context.clock,
    isLive: options.watch === true,
    ...(store === undefined ? {} : { resources: () => openResources(store, agent, context) }),
    onCall: (record) => {
      printCall(record, options, context)
      audit?.(record)
    },
  })
}

/** Opens the resources of the user: the runs of the agent. Loaded on demand, because few hosts read them. */
async function openResources(
  store: RunStore,
  { name }: AgentDefinition,
  { clock }: CommandContext,
): Promise<ResourceSource> {
  const { createReadableRuns, createRunResources } = await import('@troupe/headends')
  return createRunResources(createReadableRuns(store, clock), { principal: LOCAL_PRINCIPAL, agent: name })
}

/** Returns the command or URL by which an MCP host reaches the server. */
function toServerAddress(
  card: string,
  { plan, options }: { readonly plan: HostPlan; readonly options: McpOptions },
  { cwd }: CommandContext,
): ServerAddress {
  if (options.http === true) return { url: `http://127.0.0.1:${readPort(options.port)}/mcp` }
  return {
    command: 'troupe',
    args: serverArguments(card, options, cwd),
    variables: variablesOf(plan),
  }
}

/** Returns the variables that no file and no option sets. */
function variablesOf({ variables }: HostPlan): readonly string[] {
  const processVariables = variables.filter(({ origin = 'process' }) => origin === 'process')
  return [...new Set(processVariables.map(({ name }) => name))]
}

/**
 * Creates a function that appends a line of JSON per call to a file that only this user can read. Throws if
 * that fails, so that no call succeeds without a record.
 */
function auditFile(path: string, cwd: string): (record: CallRecord) => void {
  const file = resolve(cwd, path)
  return (record) => {
    try {
      appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
    } catch (cause) {
      throw troupeError(
        'audit_failed',
        `${file}: the record of the call cannot be written: ${errorMessage(cause)}`,
        {
          cause,
        },
      )
    }
  }
}

/** Updates the served agent after every valid edit of its files. Returns a function that stops watching. */
async function watchTools(
  host: Host,
  {
    meta,
    name,
    options,
  }: { readonly meta: MetaMcp; readonly name: string; readonly options: MessageOptions },
  context: CommandContext,
): Promise<() => Promise<void>> {
  const watch = await host.watch({
    onReload: (reload) => {
      printReload(reload, options, context)
      if (reload.outcome !== 'taken') return
      try {
        const agent = host.definition(name)
        meta.update(agent)
        printServing(agent, { tools: meta.tools }, options, context)
      } catch (thrown) {
        warn(`${errorMessage(thrown)} Clients still see the previous tools.`, context)
      }
    },
  })
  return () => watch.close()
}
