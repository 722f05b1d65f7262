import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Host } from '@troupe/host'
import { createMetaMcp, createMetaMcpHandler, serveMetaMcpStdio, type MetaMcp } from '@troupe/meta-mcp'
import { toWireName, troupeError, type AgentDefinition } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
import { listen } from '../mcp/listen.ts'
import { hostConfiguration } from '../mcp/host-configuration.ts'
import type { HostName } from '../mcp/host-names.ts'
import { serverWords } from '../mcp/server-words.ts'
import { tellCall, tellEvents, tellServing } from '../mcp/tell-serving.ts'
import { openRunStore } from '../stored/open-store.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { tellProblems } from '../tell-problems.ts'
import { waitForStop } from '../wait-for-stop.ts'

/** The options of `troupe mcp`. */
export interface McpOptions extends TeamOptions, StoreOptions {
  readonly http?: boolean
  readonly port?: string
  readonly printConfig?: HostName
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** `troupe mcp <card>`: the exported tools of an agent, over stdio until the client leaves, or over HTTP until it is stopped. Resolves with the exit code. */
export async function mcpCommand(
  card: string,
  options: McpOptions,
  context: CommandContext,
): Promise<number> {
  // before any code of a card is loaded: it may print
  const output = context.takeStdout()
  const store = options.printConfig === undefined ? await openRunStore(options, context) : undefined
  const host = await loadHost([card], options, context, store)
  const forget = context.atExit(() => host.kill())
  try {
    if (tellProblems(host.plan(), options, context) !== undefined) return EXIT.usage
    const agent = host.definition(host.plan().entry)
    const meta = openMeta(host, agent, { options, context })
    if (options.printConfig !== undefined)
      await write(output, `${configurationOf(card, agent, { options, context })}\n`)
    else if (options.http === true) await serveOverHttp(meta, agent, { options, context })
    else await serveOverStdio(meta, { agent, output }, { options, context })
    return context.stop.exitCode ?? EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

interface Surroundings {
  readonly options: McpOptions
  readonly context: CommandContext
}

function openMeta(host: Host, agent: AgentDefinition, { options, context }: Surroundings): MetaMcp {
  return createMetaMcp({
    agent,
    runner: { run: (name, input, run = {}) => host.run(name, input, tellEvents(run, options, context)) },
    newContextId: randomUUID,
    onCall: (record) => tellCall(record, options, context),
  })
}

async function serveOverHttp(
  meta: MetaMcp,
  agent: AgentDefinition,
  { options, context }: Surroundings,
): Promise<void> {
  const onError = ({ message }: Error): void => warn(message, context)
  const handler = createMetaMcpHandler(meta, { newSessionId: randomUUID, onError })
  const server = await listen(handler.fetch, { port: portOf(options), onError })
  try {
    tellServing(agent, { ...meta, at: server.url }, options, context)
    await waitForStop(context.stop)
  } finally {
    await handler.close()
    await server.close()
  }
}

async function serveOverStdio(
  meta: MetaMcp,
  { agent, output }: { readonly agent: AgentDefinition; readonly output: Writable },
  { options, context }: Surroundings,
): Promise<void> {
  tellServing(agent, meta, options, context)
  const { stdin } = context.terminal
  const connection = serveMetaMcpStdio(meta, {
    input: stdin,
    output,
    onError: ({ message }) => warn(message, context),
  })
  await Promise.race([connection.closed, waitForStop(context.stop)])
  await connection.close()
}

function configurationOf(card: string, agent: AgentDefinition, { options, context }: Surroundings): string {
  const { printConfig } = options
  if (printConfig === undefined) throw troupeError('internal', 'There is no host to print for.')
  const place =
    options.http === true
      ? { url: `http://127.0.0.1:${portOf(options)}/mcp` }
      : { command: 'troupe', args: serverWords(card, options, context.cwd) }
  return hostConfiguration(printConfig, toWireName(agent.name), place)
}

function portOf({ port = DEFAULT_PORT }: McpOptions): number {
  const number = Number(port)
  if (/^\d{1,5}$/u.test(port) && number <= LAST_PORT) return number
  throw troupeError('usage_invalid', `--port: "${port}" is not a number from 0 to ${LAST_PORT}.`)
}

const DEFAULT_PORT = '7788'
const LAST_PORT = 65_535

function warn(message: string, { terminal, stop }: CommandContext): void {
  if (!stop.silent) terminal.stderr.write(`${terminal.style.yellow('warning:')} ${plainText(message)}\n`)
}

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.write(text, () => resolve())
  })
}
