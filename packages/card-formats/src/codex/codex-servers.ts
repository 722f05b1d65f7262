import { isJsonObject, mcpToolName, type Json, type JsonObject } from '@troupe/schema'
import { addToList, dottedPath, textList, type FieldContext, type FieldRow } from '@troupe/cards/formats'
import { mappingOf, textOf, translated } from '../rules/field-rule.ts'
import {
  problemPlace,
  sameRule,
  settingRows,
  type RuleOrigin,
  type SettingRules,
} from '../rules/project-settings.ts'
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
  'startup_timeout_ms',
  'tool_timeout_sec',
  'default_tools_approval_mode',
  'tools',
  'scopes',
  'oauth_resource',
  'supports_parallel_tool_calls',
])

const RULES: SettingRules = {
  ...sameRule(['command', 'args', 'env', 'cwd', 'url', 'required'], translated('mcpServers')),
  env_vars: translated('mcpServers.N.env', 'from the environment'),
  bearer_token_env_var: translated('mcpServers.N.headers', 'as `Authorization`'),
  ...sameRule(['http_headers', 'env_http_headers'], translated('mcpServers.N.headers')),
  enabled: translated('mcpServers', 'a server with `false` is left out'),
  enabled_tools: translated('tools'),
  disabled_tools: translated('permissions.deny'),
  ...sameRule(['startup_timeout_sec', 'startup_timeout_ms'], translated('mcpServers.N.startTimeout')),
  tool_timeout_sec: translated('mcpServers.N.toolTimeout'),
  default_tools_approval_mode: translated('mcpServers.N.requiresApproval', 'prompt and writes'),
  'tools.T.approval_mode': translated('mcpServers.N.requiresApproval', 'prompt and writes'),
  scopes: translated('mcpServers.N.auth.scope'),
  oauth_resource: { status: 'ignored', reason: 'the resource is the address of the server' },
  supports_parallel_tool_calls: { status: 'ignored', reason: 'see `maxParallel` of the server' },
}

/** Rows of the documentation for the servers of Codex. */
export const CODEX_SERVER_ROWS: readonly FieldRow[] = settingRows(
  'config.toml',
  Object.fromEntries(Object.entries(RULES).map(([key, rule]) => [`mcp_servers.N.${key}`, rule])),
)

/** The context in which servers are added. */
interface CodexServerContext {
  /** Folder in which servers start, relative to the card. */
  readonly folder: string
  /** Origin of the `approval_policy` if Codex denies the calls about which it would ask. */
  readonly deniedBy: RuleOrigin | undefined
  readonly field: FieldContext
}

/** Adds the MCP servers of a Codex agent that are enabled. */
export function putCodexServers(servers: JsonObject, context: CodexServerContext): void {
  const { field } = context
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
    else putOne(name, server, context)
  }
}

function putOne(name: string, server: JsonObject, { folder, deniedBy, field }: CodexServerContext): void {
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
      // Tools that would ask are denied below.
      ...(deniedBy === undefined ? approvalOf(server) : {}),
      ...(server['scopes'] === undefined ? {} : { oauth: { scopes: server['scopes'] } }),
      ...(typeof server['startup_timeout_ms'] === 'number'
        ? { startTimeout: server['startup_timeout_ms'] }
        : {}),
      ...milliseconds('startTimeout', server['startup_timeout_sec']),
      ...milliseconds('toolTimeout', server['tool_timeout_sec']),
    },
    { field, at },
  )
  const enabled = textList(server['enabled_tools'] ?? [], at)?.map(({ text }) => text)
  if (server['enabled_tools'] !== undefined && enabled !== undefined) field.grant.limitServer(name, enabled)
  const disabled = (textList(server['disabled_tools'] ?? [], at) ?? []).map(({ text }) => text)
  const unapproved = deniedBy === undefined ? [] : limitToApproved(name, server, { deniedBy, field })
  const denied = [...disabled, ...unapproved].map((tool) => mcpToolName(name, tool))
  addToList(field.rewriter, { to: ['permissions', 'deny'], values: denied, from: at })
}

/**
 * Limits a server to the tools that Codex calls without asking. Without the mode `approve`, the annotations of
 * a tool decide, which are not known in advance. Returns the tools to deny if all others are approved.
 */
function limitToApproved(
  name: string,
  server: JsonObject,
  { deniedBy, field }: { readonly deniedBy: RuleOrigin; readonly field: FieldContext },
): readonly string[] {
  const tools = Object.entries(mappingOf(server['tools'])).map(
    ([tool, settings]) => [tool, mappingOf(settings)['approval_mode']] as const,
  )
  if (server['default_tools_approval_mode'] === 'approve')
    return tools.filter(([, mode]) => mode !== undefined && mode !== 'approve').map(([tool]) => tool)
  const enabled = server['enabled_tools']
  const approved = tools
    .filter(([tool, mode]) => mode === 'approve' && (!Array.isArray(enabled) || enabled.includes(tool)))
    .map(([tool]) => tool)
  field.grant.limitServer(name, approved)
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'permission_rule_widened',
    message: `\`approval_policy\`: Codex denies MCP tools that need an approval, and which of ${name} do is not known in advance, so ${approved.length === 0 ? 'all' : 'all others'} are denied.`,
    ...problemPlace(deniedBy),
    fix: 'Set `approval_mode = "approve"` for the tools that the agent may call.',
  })
  return []
}

const ASKS: ReadonlySet<Json | undefined> = new Set<Json>(['prompt', 'writes'])

/** Returns `requiresApproval`: true for all tools, or the names of some. */
function approvalOf(server: JsonObject): JsonObject {
  if (ASKS.has(server['default_tools_approval_mode'])) return { requiresApproval: true }
  const names = Object.entries(mappingOf(server['tools']))
    .filter(([, tool]) => ASKS.has(mappingOf(tool)['approval_mode']))
    .map(([name]) => name)
  return names.length === 0 ? {} : { requiresApproval: names }
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
