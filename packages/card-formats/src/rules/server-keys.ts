import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { SERVER_KEYS, dottedPath, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { mappingOf, translated } from './field-rule.ts'
import { problemPlace, sameRule, type RuleOrigin, type SettingRules } from './project-settings.ts'

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

const SANDBOX = 'the server would run without the sandbox'
/** The effect of server keys that the files of several products share. */
export const SERVER_RULES: SettingRules = {
  ...sameRule(['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'], translated('mcpServers')),
  oauth: translated('mcpServers.N.auth', 'client id, client secret, scope and port'),
  timeout: translated('mcpServers.N.toolTimeout', 'in milliseconds'),
  disabled: translated('mcpServers.N.disabled'),
}
/** Keys that no server of Troupe has. */
export const LOST_SERVER_RULES: SettingRules = {
  headersHelper: {
    status: 'ignored',
    problem: 'warning',
    reason: 'commands are not run to get headers; write them in `headers`, with variables',
  },
  sandboxEnabled: { status: 'ignored', problem: 'error', reason: SANDBOX },
  sandbox: { status: 'ignored', problem: 'error', reason: SANDBOX },
  alwaysAllow: { status: 'ignored', problem: 'warning', reason: 'see `permissions.allow`' },
  autoApprove: { status: 'ignored', problem: 'warning', reason: 'see `permissions.allow`' },
  disabledTools: {
    status: 'ignored',
    problem: 'error',
    reason: 'deny the tools in `permissions.deny` instead',
  },
}

/** Adds the definition of an MCP server with its keys translated. Unknown keys are reported. */
export function putServer(name: string, value: Json, { field, at, origin }: ServerPlace): void {
  const { rewriter, grant } = field
  grant.addServer(name)
  if (!isJsonObject(value)) {
    rewriter.put(['mcpServers', name], value, at)
    return
  }
  const server: Record<string, Json> = {}
  for (const [key, member] of Object.entries({ ...value, ...timeoutOf(value) })) {
    const to = SERVER_KEYS.get(key) ?? key
    if (KEPT.has(to) && member !== null) {
      server[to] = plainValue(to, member)
      rewriter.locate(['mcpServers', name, to], [...at, key])
      if (to !== key)
        rewriter.note({ key: dottedPath([...at, key]), status: 'translated', to: `mcpServers.${name}.${to}` })
    } else if (!HANDLED_BY_FORMAT.has(key)) {
      reportLostKey(key, member, { field, at, origin })
    }
  }
  rewriter.put(['mcpServers', name], { ...splitCommand(server), ...authOf(value) }, at)
}

/** The location of a server's definition: in the card, or in a project file. */
interface ServerPlace {
  readonly field: FieldContext
  /** Path of the definition for reports. */
  readonly at: FieldPath
  /** Path of the definition in its file, if that is not the card. */
  readonly origin?: RuleOrigin | undefined
}

function reportLostKey(key: string, value: Json, { field, at, origin }: ServerPlace): void {
  const { problem, reason = 'MCP servers in Troupe have no such key' } = LOST_SERVER_RULES[key] ?? {}
  field.rewriter.note({ key: dottedPath([...at, key]), status: 'ignored', reason })
  if (problem === undefined || value === false || value === null) return
  const name = `\`${key}\` of the MCP server ${String(at.at(-1))}`
  field.rewriter.addProblem({
    ...(problem === 'warning'
      ? { severity: problem, code: 'key_without_effect', message: `${name} has no effect: ${reason}.` }
      : { code: 'card_unsupported', message: `${name}: ${reason}.` }),
    ...problemPlace(origin === undefined ? { at: [...at, key] } : { ...origin, at: [...origin.at, key] }),
  })
}

/** Returns `auth` for `oauth`. */
function authOf({ oauth }: JsonObject): JsonObject {
  const { clientId, clientSecret, clientMetadataUrl, scope, scopes = scope, callbackPort } = mappingOf(oauth)
  const all = {
    clientId,
    clientSecret,
    clientMetadataUrl,
    scope: Array.isArray(scopes) ? scopes.join(' ') : scopes,
    redirectPort: callbackPort,
  }
  const auth = Object.entries(all).filter(([, value]) => value !== undefined)
  return auth.length === 0 ? {} : { auth: Object.fromEntries(auth) as JsonObject }
}

/** Returns `toolTimeout` for a `timeout` that the format has not read itself. */
function timeoutOf({ timeout, toolTimeout, startTimeout }: JsonObject): JsonObject {
  const isRead = toolTimeout !== undefined || startTimeout !== undefined
  return typeof timeout === 'number' && !isRead ? { toolTimeout: timeout } : {}
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
  'oauth',
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
