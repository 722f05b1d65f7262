import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import type { Host } from '@troupe/host'
import { createMetaMcp, serveMetaMcpStdio, type MetaMcp } from '@troupe/meta-mcp'
import { toWireName, troupeError, type AgentDefinition } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
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
  readonly printConfig?: HostName
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** `troupe mcp <card>`: the exported tools of an agent over stdio, until the client leaves. Resolves with the exit code. */
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
    if (options.printConfig === undefined) await serve(meta, { agent, output }, { options, context })
    else await write(output, `${configurationOf(card, agent, { options, context })}\n`)
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

async function serve(
  meta: MetaMcp,
  { agent, output }: { readonly agent: AgentDefinition; readonly output: Writable },
  { options, context }: Surroundings,
): Promise<void> {
  tellServing(agent, meta, options, context)
  const { stdin, stderr } = context.terminal
  const connection = serveMetaMcpStdio(meta, {
    input: stdin,
    output,
    onError: ({ message }) => void stderr.write(`warning: ${message}\n`),
  })
  await Promise.race([connection.closed, waitForStop(context.stop)])
  await connection.close()
}

function configurationOf(card: string, agent: AgentDefinition, { options, context }: Surroundings): string {
  const { printConfig } = options
  if (printConfig === undefined) throw troupeError('internal', 'There is no host to print for.')
  return hostConfiguration(printConfig, toWireName(agent.name), {
    command: 'troupe',
    args: serverWords(card, options, context.cwd),
  })
}

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve) => {
    output.write(text, () => resolve())
  })
}
