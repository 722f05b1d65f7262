import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { SERVER_KEYS, dottedPath, type FieldContext, type FieldPath } from '@troupe/cards/formats'

const KEPT: ReadonlySet<string> = new Set([
  'type',
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'shared',
  'disabled',
  'requiresApproval',
  'required',
  'toolTimeout',
  'startTimeout',
])
const TYPES: ReadonlyMap<string, string> = new Map([
  ['local', 'stdio'],
  ['remote', 'http'],
  ['streamable_http', 'http'],
  ['streamable', 'http'],
  ['streamablehttp', 'http'],
])

/** Adds the definition of an MCP server with its keys translated. Unknown keys are reported. */
export function putServer(
  name: string,
  value: Json,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): void {
  const { rewriter, grant } = field
  grant.addServer(name)
  if (!isJsonObject(value)) {
    rewriter.put(['mcpServers', name], value, at)
    return
  }
  const server: Record<string, Json> = {}
  for (const [key, member] of Object.entries(value)) {
    const to = SERVER_KEYS.get(key) ?? key
    if (KEPT.has(to) && member !== null) {
      server[to] = plainValue(to, member)
      rewriter.locate(['mcpServers', name, to], [...at, key])
      if (to !== key)
        rewriter.note({ key: dottedPath([...at, key]), status: 'translated', to: `mcpServers.${name}.${to}` })
    } else if (!HANDLED_BY_FORMAT.has(key)) {
      rewriter.note({
        key: dottedPath([...at, key]),
        status: 'ignored',
        reason: 'MCP servers in Troupe have no such key',
      })
    }
  }
  rewriter.put(['mcpServers', name], splitCommand(server), at)
}

/** Keys that the card formats read themselves. */
const HANDLED_BY_FORMAT: ReadonlySet<string> = new Set([
  'name',
  'tools',
  'available_tools',
  'includeTools',
  'excludeTools',
  'enabled',
  'timeout',
  'env_keys',
])

/** Splits a `command` that is the whole command line as a list. */
function splitCommand(server: Readonly<Record<string, Json>>): JsonObject {
  const { command } = server
  if (!Array.isArray(command)) return server
  const [first = '', ...rest] = command as readonly Json[]
  return { ...server, command: first, args: rest }
}

function plainValue(key: string, value: Json): Json {
  if (key === 'type' && typeof value === 'string') return TYPES.get(value.toLowerCase()) ?? value
  if (key === 'env' || key === 'headers') return convertMembers(value)
  return typeof value === 'string' ? convertVariables(value) : value
}

function convertMembers(value: Json): Json {
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === 'string'
        ? convertVariables(member)
        : typeof member === 'object'
          ? member
          : String(member),
    ]),
  )
}

/** Converts `$NAME`, `${{ secrets.NAME }}`, `{env:NAME}` and `${env:NAME}` to `${NAME}`. */
function convertVariables(text: string): string {
  return text
    .replaceAll(/\$\{\{\s*(?:secrets|vars|env)\.(\w+)\s*\}\}/gu, '$${$1}')
    .replaceAll(/\$?\{env[:.](\w+)\}/gu, '$${$1}')
    .replaceAll(/\$([A-Za-z_]\w*)/gu, '$${$1}')
}
