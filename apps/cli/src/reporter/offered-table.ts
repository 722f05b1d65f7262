import type { ExportedTool } from '@troupe/meta-mcp'
import { plainText } from '@troupe/timeline'
import { firstLine } from './first-line.ts'
import { tableLines } from './table.ts'

/** The tools that an agent itself offers to MCP hosts, below those that it has; no lines where there are none. */
export function offeredTable(tools: readonly ExportedTool[]): readonly string[] {
  if (tools.length === 0) return []
  const columns = ['offered over MCP', 'version', 'description'].map((title) => ({ title }))
  const rows = tools.map(({ wireName, version, description }) => [
    wireName,
    plainText(version),
    firstLine(description),
  ])
  return ['', ...tableLines(columns, rows)]
}
