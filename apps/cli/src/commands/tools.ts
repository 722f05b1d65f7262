import type { ToolDefinition } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { ToolLease } from '@troupe/host'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
import { tableLines } from '../reporter/table.ts'
import { tellProblems } from '../tell-problems.ts'

/** The options of `troupe tools`. */
export interface ToolsOptions extends TeamOptions {
  readonly json?: boolean
}

/** `troupe tools <card>`: the tools that the entry agent would have; its MCP servers are started for it. */
export async function toolsCommand(
  card: string,
  options: ToolsOptions,
  context: CommandContext,
): Promise<number> {
  const host = await loadHost([card], options, context)
  const forget = context.atExit(() => host.kill())
  try {
    if (tellProblems(host.plan(), {}, context) !== undefined) return EXIT.usage
    const lease = await host.tools(undefined)
    const text =
      options.json === true
        ? JSON.stringify(
            lease.tools.map((tool) => toData(tool, lease)),
            null,
            2,
          )
        : toTable(lease)
    context.terminal.stdout.write(`${text}\n`)
    await lease.release()
    return EXIT.completed
  } finally {
    await host.close()
    forget()
  }
}

function toData(tool: ToolDefinition, offer: ToolLease): unknown {
  const { name, source, server, effect, description, inputSchema } = tool
  return { name, source, server, effect, permission: offer.permission(tool), description, inputSchema }
}

function toTable(offer: ToolLease): string {
  if (offer.tools.length === 0) return 'This agent has no tools.'
  const columns = ['tool', 'source', 'effect', 'approval', 'description'].map((title) => ({ title }))
  const rows = offer.tools.map((tool) => [
    plainText(tool.name),
    tool.server === undefined || tool.source === 'agent'
      ? tool.source
      : `${tool.source} ${plainText(tool.server)}`,
    tool.effect,
    APPROVALS[offer.permission(tool)],
    firstLine(tool.description),
  ])
  return tableLines(columns, rows).join('\n')
}

const APPROVALS = { allow: 'no', ask: 'asks', deny: 'denied' } as const

function firstLine(description: string): string {
  return plainText(description.trim().split('\n', 1)[0] ?? '', { max: 100 })
}
