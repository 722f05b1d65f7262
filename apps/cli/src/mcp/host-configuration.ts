import type { HostName } from './host-names.ts'

/** How a host reaches the server: it starts a command, or it connects to an address. */
export type ServerPlace =
  | {
      readonly command: string
      readonly args: readonly string[]
      /** Names of variables that it needs of the environment it is started in. */
      readonly variables: readonly string[]
    }
  | { readonly url: string }

/** A run of an agent may take longer than the 60 s that hosts wait for a tool. In seconds. */
const PATIENCE = 600

/** The configuration that a host wants, to be copied into its file as it is. */
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

/** These hosts hand their own environment on. */
function commandOf({ command, args }: Started): Pick<Started, 'command' | 'args'> {
  return { command, args }
}

/** Strings of JSON are strings of TOML, and lists of them too. codex hands on no variable that it is not told of. */
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
