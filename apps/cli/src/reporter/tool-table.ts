import type { ToolLease } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { ExportedTool } from '@troupe/meta-mcp'
import type { Output } from '../terminal/terminal.ts'
import { firstLine, tableLines, wrapLastCells } from './table.ts'

/** Returns a table of an agent's tools: source, effect, approval and description. */
export function toolTable(lease: Pick<ToolLease, 'tools' | 'permission'>, output: Output): readonly string[] {
  if (lease.tools.length === 0) return ['This agent has no tools.']
  const titles = ['tool', 'source', 'effect', 'approval', 'description']
  const rows = lease.tools.map((tool) => [
    plainText(tool.name),
    tool.server === undefined || tool.source === 'agent' || tool.server === tool.source
      ? tool.source
      : `${tool.source} ${plainText(tool.server)}`,
    tool.effect,
    APPROVALS[lease.permission(tool)],
    firstLine(tool.description),
  ])
  return linesOf(titles, rows, output)
}

/** Returns the lines of a table whose descriptions wrap at a terminal. */
function linesOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  output: Output,
): readonly string[] {
  const [head = [], ...others] = wrapLastCells([titles, ...rows], output)
  return tableLines(
    head.map((title) => ({ title })),
    others,
  )
}

const APPROVALS = { allow: 'no', ask: 'asks', deny: 'denied' } as const

/** Returns a table of the tools that an agent exports over MCP; no lines without such tools. */
export function exportedToolTable(tools: readonly ExportedTool[], output: Output): readonly string[] {
  if (tools.length === 0) return []
  const titles = ['exported over MCP', 'version', 'description']
  const rows = tools.map(({ wireName, version, description }) => [
    wireName,
    plainText(version),
    firstLine(description),
  ])
  return ['', ...linesOf(titles, rows, output)]
}
