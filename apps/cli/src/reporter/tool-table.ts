import type { ToolLease } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { firstLine } from './first-line.ts'
import { tableLines } from './table.ts'

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
