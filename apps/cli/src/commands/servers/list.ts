import type { ListedServer } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../../terminal/context.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { tableLines } from '../../reporter/table.ts'
import { withHost, type ServersOptions } from './with-host.ts'

/** Runs `troupe servers list [paths…]`: lists the MCP servers of a team without starting them. */
export function listCommand(
  paths: readonly string[],
  options: ServersOptions,
  context: CommandContext,
): Promise<number> {
  return withHost(paths, options, context, async (host) => {
    const servers = host.redact(await host.servers.list())
    const text = options.json === true ? JSON.stringify(servers, null, 2) : toTable(servers)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

function toTable(servers: readonly ListedServer[]): string {
  if (servers.length === 0) return 'This team has no MCP servers.'
  const columns = ['server', 'login', 'locked', 'agents', 'target'].map((title) => ({ title }))
  const rows = servers.map(({ name, disabled, login, locked, agents, target }) => [
    disabled ? `${name} (disabled)` : name,
    login ?? '-',
    locked === undefined ? '-' : `${locked} tools`,
    agents.join(', ') || '-',
    target,
  ])
  return tableLines(
    columns,
    rows.map((cells) => cells.map((cell) => plainText(cell, { max: 80 }))),
  ).join('\n')
}
