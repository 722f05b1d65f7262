import type { HostName } from './host-names.ts'

/** Address of the server: a command to start, or a URL. */
export type ServerPlace =
  | {
      readonly command: string
      readonly args: readonly string[]
      /** Names of environment variables that the server needs. */
      readonly variables: readonly string[]
    }
  | { readonly url: string }

/** Tool timeout in seconds. A run may take longer than the 60 s that hosts wait by default. */
const PATIENCE = 600

/** Returns the configuration of a host, ready to paste into its file. */
export function hostConfiguration(host: HostName, name: string, place: ServerPlace): string {
  switch (host) {
    case 'claude':
      return json({
        mcpServers: { [name]: 'url' in place ? { type: 'http', ...place } : commandOf(place) },
      })
    case 'cursor':
      return json({ mcpServers: { [name]: 'url' in place ? place : commandOf(place) } })
    case 'vscode':
      return json({
        servers: {
          [name]: 'url' in place ? { type: 'http', ...place } : { type: 'stdio', ...commandOf(place) },
        },
      })
    default:
      return toml(name, place)
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

type Started = Exclude<ServerPlace, { readonly url: string }>

/** Returns the command without variables, because these hosts pass on their own environment. */
function commandOf({ command, args }: Started): Pick<Started, 'command' | 'args'> {
  return { command, args }
}

/**
 * Returns the configuration as TOML, whose strings and lists are written as in JSON. Codex only passes on the
 * variables listed in `env_vars`.
 */
function toml(name: string, place: ServerPlace): string {
  const entries = Object.entries({
    ...('url' in place ? place : withVariables(place)),
    tool_timeout_sec: PATIENCE,
  })
  return [
    `[mcp_servers.${name}]`,
    ...entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ].join('\n')
}

function withVariables(place: Started): Readonly<Record<string, unknown>> {
  const { variables } = place
  return { ...commandOf(place), ...(variables.length === 0 ? {} : { env_vars: variables }) }
}
