import { randomUUID } from 'node:crypto'
import {
  type ToolDefinition,
  type AgentDefinition,
  resultText,
  isJsonObject,
  type Failure,
  type JsonObject,
  type Outcome,
  type ToolResult,
} from '@troupe/schema'
import type { ToolLease, Host } from '@troupe/host'
import type { ExportedTool, DirectCallOptions } from '@troupe/meta-mcp'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT, exitCodeOf } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { exportedToolTable, toolTable } from '../reporter/tool-table.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { dataNote, printFailure } from '../reporter/end.ts'
import { parseJsonOption } from '../input/option-values.ts'
import { terminalHumanInput } from '../human-input/terminal-human-input.ts'
import { SILENT } from '../reporter/reporter.ts'

export interface ToolsCommandOptions extends TeamOptions {
  readonly json?: boolean
}

/**
 * Runs `troupe tools <card>`: lists the tools of the entry agent, whose MCP servers are started, and the
 * tools that it exports.
 */
export async function toolsCommand(
  card: string,
  options: ToolsCommandOptions,
  context: CommandContext,
): Promise<number> {
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    const plan = host.plan()
    if (printPlanProblems(plan, { running: plan.entry }, context) !== undefined) return EXIT.usage
    const { stdout } = context.terminal
    const lease = await host.tools(undefined)
    const exportedTools = await loadExportedTools(host.definition(plan.entry))
    const text =
      options.json === true
        ? JSON.stringify(
            [...lease.tools.map((tool) => toData(tool, lease)), ...exportedTools.map(toExportedData)],
            null,
            2,
          )
        : [...toolTable(lease, stdout), ...exportedToolTable(exportedTools, stdout)].join('\n')
    stdout.write(`${text}\n`)
    await lease.release()
    return EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

function toData(tool: ToolDefinition, lease: ToolLease): unknown {
  const { name, source, server, effect, description, inputSchema } = tool
  return { name, source, server, effect, permission: lease.permission(tool), description, inputSchema }
}

function toExportedData({ wireName, version, description, parameters }: ExportedTool): unknown {
  return { name: wireName, source: 'exports', version, description, inputSchema: parameters }
}

/**
 * Returns the exported tools of an agent, as MCP hosts see them. Loads `@troupe/meta-mcp` only if there are
 * any.
 */
async function loadExportedTools(agent: AgentDefinition): Promise<readonly ExportedTool[]> {
  if (agent.exports.tools.length === 0) return []
  const { readExportedTools } = await import('@troupe/meta-mcp')
  return [...readExportedTools(agent).values()]
}

export interface ToolsCallOptions extends TeamOptions {
  readonly args?: string
  readonly json?: boolean
  readonly yes?: boolean
}

/**
 * Runs `troupe tools call <card> <tool>`: calls a tool as the model of the agent would, or an exported tool
 * as an MCP host would.
 */
export async function toolsCallCommand(
  { card, tool }: { readonly card: string; readonly tool: string },
  options: ToolsCallOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, stop } = context
  const args = parseJsonOption(options.args ?? '{}', '--args')
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    const plan = host.plan()
    if (printPlanProblems(plan, { running: plan.entry }, context) !== undefined) return EXIT.usage
    const person = terminalHumanInput(terminal, {
      yes: options.yes,
      reporter: SILENT,
      writeTarget: host.writeTarget,
    })
    const run = { signal: stop.signal, ...person }
    const result = await callNamed(tool, args, { host, run, clock: context.clock })
    if (!stop.silent) print(result, options, context)
    return stop.exitCode ?? exitCodeOf({ outcome: result.outcome, error: result.failure })
  } finally {
    await host.close()
    forget()
  }
}

/**
 * Finds a tool by the wire name of an exported tool, the name of one of the agent's own tools, or the card's
 * name of an exported tool, and calls it.
 */
async function callNamed(
  name: string,
  args: JsonObject,
  {
    host,
    run,
    clock,
  }: Pick<CommandContext, 'clock'> & { readonly host: Host; readonly run: DirectCallOptions },
): Promise<PrintedResult> {
  const agent = host.definition(host.plan().entry)
  const offered = await loadExportedTools(agent)
  const parts = { host, agent, run, clock }
  const exact = offered.find(({ wireName }) => wireName === name)
  if (exact !== undefined) return tryExportedTool(exact, args, parts)
  const result = toPrinted(await host.callTool(undefined, name, args, run))
  const short = result.failure?.code === 'tool_unknown' && offered.find((tool) => tool.name === name)
  return short ? tryExportedTool(short, args, parts) : result
}

/** Result of a tool call, ready to print. */
interface PrintedResult {
  readonly outcome: Outcome
  readonly text: string
  readonly failure?: Failure
  /** Lines about content that a terminal cannot show. */
  readonly notes?: readonly string[]
  /** Value that `--json` prints. */
  readonly result: unknown
}

function toPrinted(result: ToolResult): PrintedResult {
  const { outcome, content, failure } = result
  const notes = content.flatMap((part) => (part.type === 'data' ? [dataNote(part)] : []))
  const failed = failure === undefined ? {} : { failure }
  return { outcome, text: resultText(result), notes, ...failed, result }
}

function print(
  { text, failure, notes = [], result }: PrintedResult,
  options: ToolsCallOptions,
  { terminal }: CommandContext,
): void {
  const { stdout, stderr } = terminal
  if (options.json === true) stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else if (failure === undefined) {
    stdout.write(`${stdout.isTTY === true ? plainText(text, { lines: true }) : text}\n`)
    for (const note of notes) stderr.write(`${note}\n`)
  }
  if (failure !== undefined) printFailure(failure, terminal)
}

interface ExportedToolResult {
  readonly outcome: Outcome
  /** The answer, or the failure as text. */
  readonly text: string
  readonly failure?: Failure
  /** Result in the form that MCP clients receive. */
  readonly result: JsonObject
}

/** Calls an exported tool of an agent as an MCP client would. */
async function tryExportedTool(
  { wireName }: ExportedTool,
  args: JsonObject,
  {
    host,
    agent,
    run,
    clock,
  }: Pick<CommandContext, 'clock'> & {
    readonly host: Host
    readonly agent: AgentDefinition
    readonly run: DirectCallOptions
  },
): Promise<ExportedToolResult> {
  const { createMetaMcp } = await import('@troupe/meta-mcp')
  const meta = createMetaMcp({ agent, runner: host, clock, newContextId: randomUUID })
  const result = await meta.call(wireName, args, run)
  const { content, isError, structuredContent, _meta: more } = result
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const data = isError === true ? (more?.['failure'] ?? structuredContent) : more
  const { outcome } = data as { readonly outcome: Outcome }
  const failed = isError === true && isJsonObject(data) ? { failure: data as unknown as Failure } : {}
  return { outcome, text, ...failed, result: { ...result } as unknown as JsonObject }
}
