import type { ToolDefinition, AgentDefinition } from '@troupe/schema'
import type { ToolLease } from '@troupe/host'
import type { ExportedTool } from '@troupe/meta-mcp'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import { exportedToolTable, toolTable } from '../reporter/tool-table.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

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
    if (printPlanProblems(host.plan(), {}, context) !== undefined) return EXIT.usage
    const lease = await host.tools(undefined)
    const exportedTools = await loadExportedTools(host.definition(host.plan().entry))
    const text =
      options.json === true
        ? JSON.stringify(
            [...lease.tools.map((tool) => toData(tool, lease)), ...exportedTools.map(toExportedData)],
            null,
            2,
          )
        : [...toolTable(lease), ...exportedToolTable(exportedTools)].join('\n')
    context.terminal.stdout.write(`${text}\n`)
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
export async function loadExportedTools(agent: AgentDefinition): Promise<readonly ExportedTool[]> {
  if (agent.exports.tools.length === 0) return []
  const { readExportedTools } = await import('@troupe/meta-mcp')
  return [...readExportedTools(agent).values()]
}
