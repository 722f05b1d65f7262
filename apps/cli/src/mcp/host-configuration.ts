import type { HostName } from './host-names.ts'

/** How a host reaches the server: it starts a command, or it connects to an address. */
export type ServerPlace =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string }

/** A run of an agent may take longer than the 60 s that hosts wait for a tool. In seconds. */
const PATIENCE = 600

/** The configuration that a host wants, to be copied into its file as it is. */
export function hostConfiguration(host: HostName, name: string, place: ServerPlace): string {
  switch (host) {
    case 'claude':
      return json({ mcpServers: { [name]: 'url' in place ? { type: 'http', ...place } : place } })
    case 'cursor':
      return json({ mcpServers: { [name]: place } })
    case 'vscode':
      return json({ servers: { [name]: { type: 'url' in place ? 'http' : 'stdio', ...place } } })
    default:
      return toml(name, place)
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Strings of JSON are strings of TOML, and lists of them too. */
function toml(name: string, place: ServerPlace): string {
  const entries = Object.entries({ ...place, tool_timeout_sec: PATIENCE })
  return [
    `[mcp_servers.${name}]`,
    ...entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ].join('\n')
}
