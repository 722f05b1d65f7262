import type { ExportedTool } from '@troupe/meta-mcp'
import { plainText } from '@troupe/timeline'
import { firstLine } from './first-line.ts'
import { tableLines } from './table.ts'

/** Returns a table of the tools that an agent exports over MCP; no lines without such tools. */
export function exportedToolTable(tools: readonly ExportedTool[]): readonly string[] {
  if (tools.length === 0) return []
  const columns = ['offered over MCP', 'version', 'description'].map((title) => ({ title }))
  const rows = tools.map(({ wireName, version, description }) => [
    wireName,
    plainText(version),
    firstLine(description),
  ])
  return ['', ...tableLines(columns, rows)]
}
