import { expandValues, missingVariables } from '@troupe/env'
import { logIn, logOut, type LoginStore, type McpLease, type McpPool } from '@troupe/mcp'
import { closest, troupeError, TroupeError, type Clock, type McpServerConfig } from '@troupe/schema'
import type { LoadedHost } from '../load-host.ts'
import { checkPrompt } from './check-prompt.ts'
import type { HostServers, ListedServer } from './host-servers.ts'
import { knownServers, type KnownServer } from './known-servers.ts'
import { readLockFile } from './lock-file.ts'
import { lockServers, lockStateOf } from './lock-servers.ts'

const PRINCIPAL = 'local'

/** Options of `createHostServers`. */
export interface HostServersOptions {
  /** Pool without the tool lock, so that it returns tools as servers list them. */
  readonly pool: McpPool
  readonly clock: Clock
  readonly client: { readonly name: string; readonly version: string }
  readonly logins: LoginStore | undefined
  readonly lockFile: string
}

/** Creates access to the servers of a loaded team. A server is started only when needed. */
export function createHostServers(loaded: LoadedHost, options: HostServersOptions): HostServers {
  const { pool, clock, client, logins, lockFile } = options
  let known: readonly KnownServer[] | undefined
  const servers = (): readonly KnownServer[] => (known ??= knownServers(loaded))
  const find = (name: string): KnownServer => findServer(servers(), name)

  async function withLease<T>(
    known: KnownServer,
    use: (lease: McpLease, warnings: readonly string[]) => T | Promise<T>,
  ): Promise<T> {
    const { name, folder } = known.server
    const warnings: string[] = []
    const lease = await pool.lease({
      server: name,
      config: expandServer(known),
      principal: PRINCIPAL,
      folder,
      onWarning: (text) => void warnings.push(text),
    })
    try {
      return await use(lease, warnings)
    } finally {
      await lease.release()
    }
  }

  return {
    list: () => {
      const lock = readLockFile(lockFile)
      return Promise.all(
        servers().map(async (known) => {
          const login = await loginOf(known, logins)
          const locked = lock?.servers.get(known.server.name)
          return {
            ...toListedServer(known),
            ...(login === undefined ? {} : { login }),
            ...(locked === undefined ? {} : { locked: Object.keys(locked).length }),
          }
        }),
      )
    },
    tools: async (name) => {
      const locked = readLockFile(lockFile)?.servers.get(name)
      return withLease(find(name), ({ tools }, warnings) => ({
        tools,
        warnings,
        ...(locked === undefined ? {} : { lock: lockStateOf(name, locked, tools) }),
      }))
    },
    prompts: async (name) =>
      withLease(find(name), async (lease, warnings) => ({ prompts: await lease.prompts(), warnings })),
    prompt: async (name, { prompt, args = {}, signal }) =>
      withLease(find(name), async (lease, warnings) => {
        const until = signal === undefined ? {} : { signal }
        checkPrompt({ server: name, name: prompt, args }, await lease.prompts(until))
        return { ...(await lease.prompt(prompt, { args, ...until })), warnings }
      }),
    logIn: async (name, { show, signal }) => {
      const config = expandServer(find(name))
      const store = requireLogins(logins)
      const options = { server: name, config, principal: PRINCIPAL, store, client, clock, show }
      return logIn({ ...options, ...(signal === undefined ? {} : { signal }) })
    },
    logOut: async (name) => {
      const { url } = expandServer(find(name))
      return url === undefined ? false : logOut({ url, principal: PRINCIPAL, store: requireLogins(logins) })
    },
    lock: ({ names, write = true } = {}) => {
      const wanted = names === undefined ? uniqueByName(servers()) : names.map(find)
      const toolsOf = (known: KnownServer) => withLease(known, ({ tools }) => tools)
      return lockServers(wanted, { toolsOf, lockFile, write, isWhole: names === undefined })
    },
  }
}

function findServer(servers: readonly KnownServer[], name: string): KnownServer {
  const found = servers.find(({ server }) => server.name === name)
  if (found !== undefined) return found
  const names = [...new Set(servers.map(({ server }) => server.name))]
  const meant = closest(name, names)
  const hint = meant === undefined ? '.' : `; did you mean "${meant}"?`
  throw troupeError(
    'mcp_unknown_server',
    `There is no MCP server "${name}"${hint} Defined: ${names.join(', ') || 'none'}.`,
  )
}

/** Returns the first enabled server of each name, since a lock has one entry per name. */
function uniqueByName(servers: readonly KnownServer[]): readonly KnownServer[] {
  const first = new Map<string, KnownServer>()
  for (const known of servers)
    if (known.server.config.disabled !== true && !first.has(known.server.name))
      first.set(known.server.name, known)
  return [...first.values()]
}

function expandServer({ server, environment }: KnownServer): McpServerConfig {
  const { value, missing } = expandValues(server.config, environment.overlay)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return value
}

function toListedServer({ server, agents }: KnownServer): Omit<ListedServer, 'login' | 'locked'> {
  const { name, config } = server
  const { command, args = [], url } = config
  const isAddress = url !== undefined
  return {
    name,
    kind: isAddress ? 'address' : 'process',
    target: isAddress ? url : [command, ...args].join(' '),
    agents,
    disabled: config.disabled === true,
  }
}

async function loginOf(
  { server, environment }: KnownServer,
  logins: LoginStore | undefined,
): Promise<ListedServer['login']> {
  const { url, headers = {} } = server.config
  const sendsKey = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  if (logins === undefined || url === undefined || sendsKey) return undefined
  const { value, missing } = expandValues(url, environment.overlay)
  if (missing.length > 0 || !URL.canParse(value)) return 'unknown'
  const saved = await logins.read({ url: new URL(value).href, principal: PRINCIPAL })
  return saved?.tokens === undefined ? 'none' : 'saved'
}

function requireLogins(logins: LoginStore | undefined): LoginStore {
  if (logins !== undefined) return logins
  throw troupeError('usage_invalid', 'There is no place to keep logins in.', {
    fix: 'Give the host `logins`; the program keeps them below the home folder.',
  })
}
