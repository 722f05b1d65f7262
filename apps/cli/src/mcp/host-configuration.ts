import { resolve } from 'node:path'
import type { HostName } from '../input/option-choices.ts'
import type { TeamOptions } from '../team/load-host.ts'

/** Address of the server: a command to start, or a URL. */
export type ServerAddress =
  | {
      readonly command: string
      readonly args: readonly string[]
      /** Names of environment variables that the server needs. */
      readonly variables: readonly string[]
    }
  | { readonly url: string }

/** Tool timeout in seconds. A run may take longer than the 60 s that hosts wait by default. */
const TOOL_TIMEOUT_SECONDS = 600

/** Returns the configuration of a host, ready to paste into its file. */
export function hostConfiguration(host: HostName, name: string, address: ServerAddress): string {
  switch (host) {
    case 'claude':
      return json({
        mcpServers: { [name]: 'url' in address ? { type: 'http', ...address } : commandOf(address) },
      })
    case 'cursor':
      return json({ mcpServers: { [name]: 'url' in address ? address : commandOf(address) } })
    case 'vscode':
      return json({
        servers: {
          [name]: 'url' in address ? { type: 'http', ...address } : { type: 'stdio', ...commandOf(address) },
        },
      })
    default:
      return toml(name, address)
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

type CommandAddress = Exclude<ServerAddress, { readonly url: string }>

/** Returns the command without variables, because these hosts pass on their own environment. */
function commandOf({ command, args }: CommandAddress): Pick<CommandAddress, 'command' | 'args'> {
  return { command, args }
}

/**
 * Returns the configuration as TOML, whose strings and lists are written as in JSON. Codex only passes on the
 * variables listed in `env_vars`.
 */
function toml(name: string, address: ServerAddress): string {
  const entries = Object.entries({
    ...('url' in address ? address : withVariables(address)),
    tool_timeout_sec: TOOL_TIMEOUT_SECONDS,
  })
  return [
    `[mcp_servers.${name}]`,
    ...entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ].join('\n')
}

function withVariables(address: CommandAddress): Readonly<Record<string, unknown>> {
  const { variables } = address
  return { ...commandOf(address), ...(variables.length === 0 ? {} : { env_vars: variables }) }
}

/** Returns the command line arguments that start the server from any folder: paths are absolute. */
export function serverArguments(card: string, options: TeamOptions, cwd: string): readonly string[] {
  const toAddress = (path: string): string => (/^https?:\/\//u.test(path) ? path : resolve(cwd, path))
  const valueOption = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, value]
  const pathOption = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [flag, toAddress(value)]
  const pathOptions = (flag: string, values: readonly string[] = []): readonly string[] =>
    values.flatMap((value) => [flag, toAddress(value)])
  return [
    'mcp',
    toAddress(card),
    ...valueOption('--agent', options.agent),
    ...pathOptions('--card', options.card),
    ...pathOptions('--agent-cards', options.agentCards),
    ...pathOption('--config', options.config),
    ...pathOption('--root', options.root),
    ...valueOption('--model', options.model),
    ...pathOptions('--env-file', options.envFile),
    ...(options.frozen === true ? ['--frozen'] : []),
    ...(options.allowHttp === true ? ['--allow-http'] : []),
    ...(options.allowPrivate === true ? ['--allow-private'] : []),
  ]
}
