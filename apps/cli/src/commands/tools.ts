import type { ToolDefinition } from '@troupe/schema'
import type { ToolLease } from '@troupe/host'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { loadHost, type TeamOptions } from '../load-host.ts'
import { toolTable } from '../reporter/tool-table.ts'
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
        : toolTable(lease).join('\n')
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
