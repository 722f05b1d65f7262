import type { ToolLease } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { ExportedTool } from '@troupe/meta-mcp'
import type { Output } from '../terminal/terminal.ts'
import { HANGING_INDENT, wrapText } from '../terminal/wrap.ts'
import { firstLine, fitTable, hasSpaceForLastCells, tableLines, wrapLastCells } from './table.ts'

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

/**
 * Returns the lines of a table whose descriptions wrap at a terminal. Without space for them beside the other
 * columns, each description is below its row.
 */
function linesOf(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  output: Output,
): readonly string[] {
  if (!hasSpaceForLastCells([titles, ...rows], output)) return stackedLines(titles, rows, output)
  const [head = [], ...others] = wrapLastCells([titles, ...rows], output)
  return tableLines(
    head.map((title) => ({ title })),
    others,
  )
}

/** Order in which columns are removed if the rows without descriptions are still too wide. */
const DROP_ORDERS: Readonly<Record<string, number>> = { source: 1, version: 1, effect: 2 }

/** Returns the rows of a table, each followed by its indented description. */
function stackedLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  output: Output,
): readonly string[] {
  const columns = titles.slice(0, -1).map((title) => {
    const dropOrder = DROP_ORDERS[title]
    return dropOrder === undefined ? { title } : { title, dropOrder }
  })
  const fitted = fitTable({ columns, rows: rows.map((cells) => cells.slice(0, -1)) }, output.columns)
  const indent = ' '.repeat(HANGING_INDENT)
  return tableLines(fitted.columns, fitted.rows).flatMap((line, index) => {
    const description = index === 0 ? '' : (rows[index - 1]?.at(-1) ?? '')
    const below = description === '' ? [] : [wrapText(`${indent}${description}`, output)]
    return [wrapText(line, output).replaceAll('\n', `\n${indent}`), ...below]
  })
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
