import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import { addToList, dottedPath, textList, type FieldContext } from '@troupe/cards/formats'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { putServer } from '../rules/server-keys.ts'

/** Keys of a server in `config.toml` that are read here. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  'env_vars',
  'bearer_token_env_var',
  'http_headers',
  'env_http_headers',
  'enabled',
  'enabled_tools',
  'disabled_tools',
  'startup_timeout_sec',
  'tool_timeout_sec',
])

/** Adds the MCP servers of a Codex agent that are enabled. `folder` is where they start, relative to the card. */
export function putCodexServers(servers: JsonObject, folder: string, field: FieldContext): void {
  for (const [name, server] of Object.entries(servers)) {
    const at = ['mcp_servers', name]
    if (!isJsonObject(server)) continue
    if (server['enabled'] === false)
      field.rewriter.note({ key: dottedPath(at), status: 'ignored', reason: 'it is disabled' })
    else if (server['command'] !== undefined && server['url'] !== undefined)
      field.rewriter.addProblem({
        code: 'card_bad_value',
        message: `\`${dottedPath(at)}\` has both \`command\` and \`url\`.`,
        at,
      })
    else putOne(name, server, { folder, field })
  }
}

function putOne(
  name: string,
  server: JsonObject,
  { folder, field }: { readonly folder: string; readonly field: FieldContext },
): void {
  const at = ['mcp_servers', name]
  const env = { ...mappingOf(server['env']), ...variables(server['env_vars']) }
  const headers = headersOf(server)
  const cwd = server['command'] === undefined || server['cwd'] !== undefined ? {} : { cwd: folder }
  putServer(
    name,
    {
      required: false,
      ...Object.fromEntries(Object.entries(server).filter(([key]) => !OWN_KEYS.has(key))),
      ...cwd,
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...milliseconds('startTimeout', server['startup_timeout_sec']),
      ...milliseconds('toolTimeout', server['tool_timeout_sec']),
    },
    { field, at },
  )
  const enabled = textList(server['enabled_tools'] ?? [], at)?.map(({ text }) => text)
  if (server['enabled_tools'] !== undefined && enabled !== undefined) field.grant.limitServer(name, enabled)
  const disabled = textList(server['disabled_tools'] ?? [], at) ?? []
  const denied = disabled.map(({ text }) => mcpToolName(name, text))
  addToList(field.rewriter, { to: ['permissions', 'deny'], values: denied, from: at })
}

function headersOf(server: JsonObject): JsonObject {
  const token = server['bearer_token_env_var']
  const fromVariables = Object.entries(mappingOf(server['env_http_headers'])).map(
    ([header, variable]) => [header, `\${${textOf(variable)}}`] as const,
  )
  return {
    ...mappingOf(server['http_headers']),
    ...Object.fromEntries(fromVariables),
    ...(typeof token === 'string' ? { Authorization: `Bearer \${${token}}` } : {}),
  }
}

/** Returns variables that a server gets from the environment. */
function variables(names: Json | undefined): JsonObject {
  const list = textList(names ?? [], []) ?? []
  return Object.fromEntries(list.map(({ text }) => [text, `\${${text}:-}`]))
}

function milliseconds(key: string, seconds: Json | undefined): JsonObject {
  return typeof seconds === 'number' ? { [key]: seconds * 1000 } : {}
}
