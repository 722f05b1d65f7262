import type { ToolLease } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { ExportedTool } from '@troupe/meta-mcp'
import { firstLine, tableLines } from './table.ts'

/** Returns a table of an agent's tools: source, effect, approval and description. */
export function toolTable(lease: Pick<ToolLease, 'tools' | 'permission'>): readonly string[] {
  if (lease.tools.length === 0) return ['This agent has no tools.']
  const columns = ['tool', 'source', 'effect', 'approval', 'description'].map((title) => ({ title }))
  const rows = lease.tools.map((tool) => [
    plainText(tool.name),
    tool.server === undefined || tool.source === 'agent'
      ? tool.source
      : `${tool.source} ${plainText(tool.server)}`,
    tool.effect,
    APPROVALS[lease.permission(tool)],
    firstLine(tool.description),
  ])
  return tableLines(columns, rows)
}

const APPROVALS = { allow: 'no', ask: 'asks', deny: 'denied' } as const

/** Returns a table of the tools that an agent exports over MCP; no lines without such tools. */
export function exportedToolTable(tools: readonly ExportedTool[]): readonly string[] {
  if (tools.length === 0) return []
  const columns = ['exported over MCP', 'version', 'description'].map((title) => ({ title }))
  const rows = tools.map(({ wireName, version, description }) => [
    wireName,
    plainText(version),
    firstLine(description),
  ])
  return ['', ...tableLines(columns, rows)]
}
