import { posix } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { addToList, type FieldContext, type FieldPath, type ProjectSettings } from '@troupe/cards/formats'
import { mappingOf } from './field-rule.ts'
import { putServer } from './server-keys.ts'

/** An MCP server that a file of the project defines. */
export interface ProjectServer {
  readonly name: string
  readonly definition: Json
  readonly settings: ProjectSettings
  /** Path of the definition in the file. Default: the name. */
  readonly at?: FieldPath
  /** Folder in which the server starts, relative to the folder of the card. */
  readonly folder: string
}

/**
 * Adds the servers of the project that the agent may use to its card. A later server replaces an earlier one
 * with the same name, and the card's own servers replace both. `all` is true if the product gives every
 * server to an agent without a list of tools.
 */
export function putProjectServers(
  servers: readonly ProjectServer[],
  { all }: { readonly all: boolean },
  field: FieldContext,
): void {
  const { grant, rewriter } = field
  for (const [name, server] of new Map(servers.map((each) => [each.name, each]))) {
    if (rewriter.get(['mcpServers', name]) !== undefined || !grant.usesServer(name, all)) continue
    const { definition, settings, folder, at = [name] } = server
    putServer(name, inFolder(definition, folder), {
      field,
      at: [`(${settings.label})`, name],
      origin: { at, settings },
    })
    removeReference(name, field)
    rewriter.note({ key: `${settings.label}: ${name}`, status: 'translated', to: `mcpServers.${name}` })
  }
}

/** Returns the servers of a file: those under `key`, or at the top level of a file without that key. */
export function serversIn(
  settings: ProjectSettings,
  { key = 'mcpServers', folder }: { readonly key?: string; readonly folder: string },
): readonly ProjectServer[] {
  const { fields } = settings
  const isNested = Object.hasOwn(fields, key)
  return Object.entries(isNested ? mappingOf(fields[key]) : fields)
    .filter(([, definition]) => isServer(definition))
    .map(([name, definition]) => ({
      name,
      definition,
      settings,
      at: isNested ? [key, name] : [name],
      folder,
    }))
}

const SERVER_KEYS = ['command', 'url', 'httpUrl', 'serverUrl']

/** Returns true for a mapping that defines an MCP server. */
export function isServer(value: Json): value is JsonObject {
  return isJsonObject(value) && SERVER_KEYS.some((key) => Object.hasOwn(value, key))
}

/**
 * Sets the folder in which the server starts, and lets the agent run without the server. The folder that the
 * definition names is relative to that of the project.
 */
function inFolder(definition: Json, folder: string): Json {
  if (!isJsonObject(definition)) return definition
  const optional = { required: false, ...definition }
  if (definition['command'] === undefined) return optional
  const { cwd } = definition
  return { ...optional, cwd: typeof cwd === 'string' && cwd !== '' ? inside(folder, cwd) : folder }
}

function inside(folder: string, path: string): string {
  return posix.isAbsolute(path) ? path : posix.join(folder, path)
}

/** Removes the name of a server from those that are defined elsewhere. */
function removeReference(name: string, { rewriter, from }: FieldContext): void {
  const names = rewriter.get(['servers'])
  if (!Array.isArray(names)) return
  const others = (names as readonly Json[]).filter((other) => other !== name)
  if (others.length === names.length) return
  const origin = rewriter.originOf(['servers'])
  rewriter.remove(['servers'])
  addToList(rewriter, { to: ['servers'], values: others, from: origin.length === 0 ? from : origin })
}
