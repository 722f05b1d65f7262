import type { OfferedTools } from '@troupe/host'
import type { ToolDefinition } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { tableLines } from '../../reporter/table.ts'
import { printWarnings, withHost, type ServersOptions } from './with-host.ts'

/**
 * Runs `troupe servers tools <name> [paths…]`: lists the tools that a server currently offers, compared with
 * troupe.lock.
 */
export function toolsCommand(
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, options, context, async (host) => {
    const offered = await host.servers.tools(name)
    printWarnings(host.redact(offered.warnings), context)
    const rows = host.redact(offered.tools.map((tool) => toRow(tool, offered)))
    const text = options.json === true ? JSON.stringify(rows, null, 2) : toTable(rows)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

interface ServerToolRow {
  readonly name: string
  readonly effect: string
  readonly lock: 'locked' | 'changed' | 'new' | 'none'
  readonly description: string
  readonly inputSchema: ToolDefinition['inputSchema']
}

function toRow(
  { name, server = '', effect, description, inputSchema }: ToolDefinition,
  { lock }: OfferedTools,
): ServerToolRow {
  const ownName = name.slice(`${server}__`.length)
  const lockState = lock === undefined ? 'none' : lockStateOf(ownName, lock)
  return { name, effect, lock: lockState, description, inputSchema }
}

function lockStateOf(
  ownName: string,
  { added, changed }: NonNullable<OfferedTools['lock']>,
): ServerToolRow['lock'] {
  if (changed.includes(ownName)) return 'changed'
  return added.includes(ownName) ? 'new' : 'locked'
}

function toTable(rows: readonly ServerToolRow[]): string {
  if (rows.length === 0) return 'This server has no tools.'
  const columns = ['tool', 'effect', 'lock', 'description'].map((title) => ({ title }))
  const cells = rows.map(({ name, effect, lock, description }) => [
    plainText(name),
    effect,
    lock === 'none' ? '-' : lock,
    plainText(description.trim().split('\n', 1)[0] ?? '', { max: 100 }),
  ])
  return tableLines(columns, cells).join('\n')
}
