import { isJsonObject, troupeError, type JsonObject } from '@troupe/schema'

const VERSION = 1
const DIGEST = /^sha256-[A-Za-z0-9_-]{43}$/u

/** The accepted tools of one server: digest by the server's own tool name. */
export type LockedTools = Readonly<Record<string, string>>

/** The accepted tools of all servers. */
export interface ToolLock {
  readonly servers: ReadonlyMap<string, LockedTools>
}

/** Parses a lock file. Throws `config_invalid` if it is invalid; `file` is for the message. */
export function parseToolLock(text: string, file: string): ToolLock {
  const value = readJson(text, file)
  const servers = isJsonObject(value) ? value['servers'] : undefined
  if (!isJsonObject(value) || value['lockfileVersion'] !== VERSION || !isJsonObject(servers))
    throw invalid(file, `it is no lock file of version ${VERSION}`)
  return {
    servers: new Map(Object.entries(servers).map(([name, entry]) => [name, lockedTools(entry, name, file)])),
  }
}

/** Formats a lock file, sorted and with one line per tool for small diffs. */
export function toolLockText({ servers }: ToolLock): string {
  const sorted = [...servers].toSorted(byName).map(([name, tools]) => {
    return [name, { tools: Object.fromEntries(Object.entries(tools).toSorted(byName)) }] as const
  })
  return `${JSON.stringify({ lockfileVersion: VERSION, servers: Object.fromEntries(sorted) }, null, 2)}\n`
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw invalid(file, 'it is not JSON', thrown)
  }
}

function lockedTools(entry: unknown, server: string, file: string): LockedTools {
  const tools = isJsonObject(entry) ? entry['tools'] : undefined
  if (!isJsonObject(tools) || !isDigests(tools))
    throw invalid(file, `its entry of "${server}" is no list of tools`)
  return tools
}

function isDigests(tools: JsonObject): tools is Readonly<Record<string, string>> {
  return Object.values(tools).every((digest) => typeof digest === 'string' && DIGEST.test(digest))
}

function invalid(file: string, problem: string, cause?: unknown): Error {
  return troupeError('config_invalid', `${file}: ${problem}.`, {
    fix: 'Write it anew with `troupe servers lock`.',
    ...(cause === undefined ? {} : { cause }),
  })
}
