import { resolve, basename } from 'node:path'
import { childEnvironment } from '@troupe/process'
import { troupeError, type McpServerConfig, type TroupeError } from '@troupe/schema'

/** A server that runs as a child process and communicates over stdio. */
export interface StdioTarget {
  readonly kind: 'stdio'
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** A server with a URL. Transport `any` tries Streamable HTTP first, then HTTP+SSE. */
export interface HttpTarget {
  readonly kind: 'http'
  readonly server: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly transport: 'streamable' | 'sse' | 'any' | 'websocket'
}

/** A validated and resolved server to connect to. */
export type ServerTarget = StdioTarget | HttpTarget

/** Converts a definition with expanded variables. Throws `mcp_bad_config`. */
export function toServerTarget(options: {
  readonly server: string
  readonly config: McpServerConfig
  readonly folder: string
  readonly baseEnv: Readonly<Record<string, string | undefined>>
}): ServerTarget {
  const { server, config } = options
  if (config.command !== undefined && config.url !== undefined)
    throw badConfig(server, 'has both `command` and `url`', 'Keep one of the two.')
  if (config.url !== undefined) return httpTarget(server, config, config.url)
  if (!config.command) throw badConfig(server, 'has neither `command` nor `url`')
  if (config.type !== undefined && config.type !== 'stdio')
    throw badConfig(server, `has \`command\` and \`type: ${config.type}\``, 'Set `url`, or remove `type`.')
  return {
    kind: 'stdio',
    server,
    command: config.command,
    args: config.args ?? [],
    env: childEnvironment(options.baseEnv, config.env),
    cwd: cwdOf(config, options.folder),
  }
}

/** Returns the working directory of a server process. */
export function cwdOf({ cwd = '.' }: McpServerConfig, folder: string): string {
  return resolve(folder, cwd)
}

function httpTarget(server: string, config: McpServerConfig, text: string): HttpTarget {
  if (config.type === 'stdio')
    throw badConfig(server, 'has `url` and `type: stdio`', 'Set `command`, or remove `type`.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^(?:http|ws)s?:$/u.test(url.protocol))
    throw badConfig(
      server,
      `has the url ${JSON.stringify(text)}, which is not an http, https, ws or wss URL`,
      'Use the full URL, such as https://example.com/mcp.',
    )
  return {
    kind: 'http',
    server,
    url,
    headers: checkedHeaders(server, config),
    transport: transportOf(config, url),
  }
}

function transportOf(config: McpServerConfig, { protocol }: URL): HttpTarget['transport'] {
  if (protocol.startsWith('ws')) return 'websocket'
  if (config.type === undefined) return 'any'
  return config.type === 'sse' ? 'sse' : 'streamable'
}

function checkedHeaders(server: string, config: McpServerConfig): Readonly<Record<string, string>> {
  const headers = config.headers ?? {}
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers().set(name, value)
    } catch (thrown) {
      throw badConfig(
        server,
        `has the header ${JSON.stringify(name)}, which HTTP does not allow`,
        'Correct the name or the value, which must not contain line breaks or characters such as `…`.',
        thrown,
      )
    }
  }
  return headers
}

function badConfig(server: string, problem: string, fix?: string, cause?: unknown): TroupeError {
  return troupeError('mcp_bad_config', `The MCP server "${server}" ${problem}.`, {
    ...(fix === undefined ? {} : { fix }),
    ...(cause === undefined ? {} : { cause }),
  })
}

const RUNNERS: ReadonlySet<string> = new Set(['npx', 'npx.cmd', 'bunx', 'pnpx'])
const OTHER_RUNNERS: ReadonlySet<string> = new Set(['uvx', 'pipx', 'docker', 'podman'])

/** Returns true for commands that download the package they run. */
function isPackageRunner({ command }: Pick<StdioTarget, 'command'>): boolean {
  const name = basename(command)
  return RUNNERS.has(name) || OTHER_RUNNERS.has(name)
}

/**
 * Returns the package that a runner such as `npx` would download in its latest version, so that its publisher
 * decides what runs. `undefined` if the version is pinned or nothing is downloaded.
 */
export function unpinnedPackage({ command, args }: StdioTarget): string | undefined {
  if (!RUNNERS.has(basename(command))) return undefined
  const spec = packageSpec(args)
  if (spec === undefined || /^[./~]|[:\\]/u.test(spec)) return undefined
  const version = spec.lastIndexOf('@') > 0 ? spec.slice(spec.lastIndexOf('@') + 1) : ''
  return version === '' || version === 'latest' ? spec : undefined
}

function packageSpec(args: readonly string[]): string | undefined {
  for (const [index, argument] of args.entries()) {
    if (argument === '-p' || argument === '--package') return args[index + 1]
    if (argument.startsWith('--package=')) return argument.slice('--package='.length)
    if (!argument.startsWith('-')) return argument
  }
  return undefined
}

const START_TIMEOUT = 10_000
/** `npx` and similar runners may have to download the package first. */
const FETCH_AND_START_TIMEOUT = 60_000

/**
 * Returns the time limit for the start of a server, in ms: from its definition, else from the pool, else a
 * default that depends on the command.
 */
export function startTimeoutOf(
  target: ServerTarget,
  { startTimeout }: Pick<McpServerConfig, 'startTimeout'>,
  poolDefault: number | undefined,
): number {
  const known = startTimeout ?? poolDefault
  if (known !== undefined) return known
  return target.kind === 'stdio' && isPackageRunner(target) ? FETCH_AND_START_TIMEOUT : START_TIMEOUT
}
