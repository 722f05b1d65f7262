import { expandValues } from '@troupe/env'
import { logIn, logOut, type LoginStore, type McpLease, type McpPool, type ServerPrompt } from '@troupe/mcp'
import { troupeError, type Clock } from '@troupe/schema'
import { suggestionText } from '../config/plan-problem.ts'
import type { LoadedTeam } from '../plan/load-team.ts'
import type { HostServers, ListedServer } from './host-servers.ts'
import { expandServer, findServer, knownServers, uniqueByName, type KnownServer } from './known-servers.ts'
import { lockServers, lockStateOf, readLockFile } from './tool-lock.ts'

const PRINCIPAL = 'local'
/** Principal of servers that are no part of the team. No login is stored for it. */
const CALLER = 'local caller'

/** Options of `createHostServers`. */
interface HostServersOptions {
  /** Pool without the tool lock, so that it returns tools as servers list them. */
  readonly pool: McpPool
  readonly clock: Clock
  readonly client: { readonly name: string; readonly version: string }
  readonly logins: LoginStore | undefined
  readonly lockFile: string
}

/** Creates access to the servers of a loaded team. A server is started only when needed. */
export function createHostServers(loaded: LoadedTeam, options: HostServersOptions): HostServers {
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
        const abort = signal === undefined ? {} : { signal }
        checkPrompt({ server: name, name: prompt, args }, await lease.prompts(abort))
        return { ...(await lease.prompt(prompt, { args, ...abort })), warnings }
      }),
    open: async ({ name, config, folder }) => {
      const { tools, release } = await pool.lease({
        server: name,
        config: { ...config, shared: false },
        principal: CALLER,
        folder,
      })
      return { tools, release }
    },
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
      const selected = names === undefined ? uniqueByName(servers()) : names.map(find)
      const toolsOf = (known: KnownServer) => withLease(known, ({ tools }) => tools)
      return lockServers(selected, { toolsOf, lockFile, write, isComplete: names === undefined })
    },
  }
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
  throw troupeError('usage_invalid', 'The host has no store for logins.', {
    fix: 'Pass `logins` to createHost. The `troupe` command stores logins in the home folder.',
  })
}

/** A prompt requested from a server. */
interface RequestedPrompt {
  readonly server: string
  readonly name: string
  readonly args: Readonly<Record<string, string>>
}

/** Throws `mcp_unknown_prompt`, or `mcp_prompt_arguments` for missing or unknown arguments. */
function checkPrompt({ server, name, args }: RequestedPrompt, offered: readonly ServerPrompt[]): void {
  const prompt = offered.find((candidate) => candidate.name === name)
  if (prompt === undefined) throw unknownPrompt({ server, name }, offered)
  const known = prompt.arguments.map((argument) => argument.name)
  const extra = Object.keys(args).find((argument) => !known.includes(argument))
  if (extra !== undefined) throw unknownArgument({ prompt: name, argument: extra }, known)
  const missing = prompt.arguments.filter(
    (argument) => argument.required && !Object.hasOwn(args, argument.name),
  )
  if (missing.length === 0) return
  const descriptions = missing.map((argument) =>
    argument.description === '' ? argument.name : `${argument.name} (${argument.description})`,
  )
  throw troupeError('mcp_prompt_arguments', `The prompt "${name}" requires ${descriptions.join(' and ')}.`)
}

function unknownPrompt(
  { server, name }: Pick<RequestedPrompt, 'server' | 'name'>,
  offered: readonly ServerPrompt[],
): Error {
  const names = offered.map((prompt) => prompt.name)
  return troupeError(
    'mcp_unknown_prompt',
    `The MCP server "${server}" has no prompt "${name}"${suggestionText(name, names)} Its prompts: ${names.join(', ') || 'none'}.`,
  )
}

function unknownArgument(
  { prompt, argument }: { readonly prompt: string; readonly argument: string },
  known: readonly string[],
): Error {
  const knownText = known.length === 0 ? 'It has no arguments.' : `Its arguments: ${known.join(', ')}.`
  return troupeError(
    'mcp_prompt_arguments',
    `The prompt "${prompt}" has no argument "${argument}"${suggestionText(argument, known)} ${knownText}`,
  )
}
