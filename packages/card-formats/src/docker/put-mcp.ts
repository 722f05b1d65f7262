import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, exactToolNames, type FieldOutcome, textList } from '@troupe/cards/formats'
import { ignored, isText, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { putServer } from '../rules/server-keys.ts'
import { reportNestedKeys } from '../rules/nested-keys.ts'
import { CATALOGUE_REASON, TOOLSET_KEYS } from './docker-keys.ts'
import { withVariables } from './put-providers.ts'
import { goDuration } from './go-duration.ts'
import type { ToolsetContext } from './put-toolsets.ts'

/** Keys of a toolset that belong to the definition of a server. */
const SERVER = ['command', 'args', 'env', 'working_dir'] as const
const READ_ONLY = 'it is `readonly`, and whether a tool of a server only reads is not known in advance'

/** Adds a toolset of type `mcp`: a command, a URL, or the name of a server of the file. */
export function putMcp(toolset: JsonObject, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  const shared = getOwn(mappingOf(field.card.fields['mcps']), textOf(toolset['ref']))
  if (isJsonObject(shared)) reportMcpKeys(shared, { field, at, label: `mcps.${textOf(toolset['ref'])}` })
  const all = isJsonObject(shared) ? withDefinition(toolset, shared) : toolset
  const { tools, ref, remote, name } = all
  if (isText(ref) && !isJsonObject(remote)) return refuseReference(ref, { field, at })
  const server = isJsonObject(remote) ? toRemote(remote) : toCommand(all)
  const id = nameOf({ name, server }, String(at.at(-1)))
  if (all['readonly'] === true || field.card.fields['readonly'] === true) return leaveOut(id, { field, at })
  putServer(id, { ...server, ...timesOf(all) }, { field, at })
  const { oauth } = mappingOf(remote)
  if (isJsonObject(oauth))
    field.rewriter.put(['mcpServers', id, 'auth'], toAuth(oauth), [...at, 'remote', 'oauth'])
  if (Object.hasOwn(all, 'lifecycle'))
    field.rewriter.note({ key: dottedPath([...at, 'lifecycle']), ...translated('startTimeout, toolTimeout') })
  const listed = textList(tools ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(id, at, listed.length === 0 ? ['*'] : exactToolNames(listed))
  return { status: 'translated', to: `mcpServers.${id}` }
}

/** Leaves out a server whose tools may only read, with a warning. */
function leaveOut(id: string, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `The agent gets no tools from the server \`${id}\`: ${READ_ONLY}.`,
    at,
    fix: 'Remove `readonly`, and list the tools that only read in `tools`.',
  })
  return { status: 'ignored', reason: READ_ONLY }
}

/** Reports the keys of a server that have no effect. A server may have any address. */
export function reportMcpKeys(
  { allow_private_ips: _anyAddress, ...keys }: JsonObject,
  { label, field, at }: ToolsetContext & { readonly label: string },
): void {
  reportNestedKeys(keys, TOOLSET_KEYS, { product: 'docker-agent', field, label, at })
}

/** Returns a toolset with the keys of the definition in `mcps` that its `ref` names. */
function withDefinition({ ref, ...own }: JsonObject, shared: JsonObject): JsonObject {
  const { ref: _catalogue, ...rest } = shared
  return {
    ...rest,
    ...(shared['ref'] === undefined ? {} : { ref: shared['ref'] }),
    ...(ref === undefined ? {} : { name: ref }),
    ...own,
  }
}

/** Refuses a server of Docker's catalogue, and a name that the file does not define. */
function refuseReference(ref: string, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  const isCatalogue = ref.startsWith('docker:')
  field.rewriter.addProblem({
    code: 'card_unsupported',
    message: isCatalogue
      ? `\`${dottedPath([...at, 'ref'])}\`: ${CATALOGUE_REASON}.`
      : `\`${dottedPath([...at, 'ref'])}\`: the file defines no server "${ref}" in \`mcps\`.`,
    at: [...at, 'ref'],
    fix: isCatalogue
      ? 'Write the `command` or the `remote.url` of the server in the toolset.'
      : 'Define it in `mcps`, or write its `command` or `remote.url` in the toolset.',
  })
  return ignored(isCatalogue ? CATALOGUE_REASON : 'the file does not define the server')
}

/** Returns the server definition of a toolset. Its variables may be a list of `NAME=value`. */
function toCommand(all: JsonObject): JsonObject {
  const definition = SERVER.flatMap((key): [string, Json][] => {
    const value = all[key]
    return value === undefined ? [] : [[key, value]]
  })
  const { env } = all
  if (!Array.isArray(env)) return Object.fromEntries(definition)
  const variables = (env as readonly Json[]).map((entry): readonly [string, Json] => {
    const [name = '', ...value] = textOf(entry).split('=')
    return [name, value.length === 0 ? `\${${name}}` : value.join('=')]
  })
  return { ...Object.fromEntries(definition), env: Object.fromEntries(variables) }
}

function toRemote({ url, headers, transport_type: type }: JsonObject): JsonObject {
  return {
    type: type === 'sse' ? 'sse' : 'http',
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  }
}

/** Converts the OAuth settings of a remote server. */
function toAuth({ clientId, clientSecret, callbackPort, scopes }: JsonObject): JsonObject {
  const scope = textList(scopes ?? [], [])?.map(({ text }) => text) ?? []
  return {
    ...(isText(clientId) ? { clientId: withVariables(clientId) } : {}),
    ...(isText(clientSecret) ? { clientSecret: withVariables(clientSecret) } : {}),
    ...(callbackPort === undefined ? {} : { redirectPort: callbackPort }),
    ...(scope.length === 0 ? {} : { scope: scope.join(' ') }),
  }
}

function timesOf({ lifecycle }: JsonObject): JsonObject {
  const { startup_timeout: start, call_timeout: call } = mappingOf(lifecycle)
  const startTimeout = goDuration(start)
  const toolTimeout = goDuration(call)
  return {
    ...(startTimeout === undefined ? {} : { startTimeout }),
    ...(toolTimeout === undefined ? {} : { toolTimeout }),
  }
}

function nameOf(
  { name, server }: { readonly name?: Json | undefined; readonly server: JsonObject },
  index: string,
): string {
  if (isText(name)) return name.replaceAll(/\s+/gu, '-')
  const command = server['command']
  return isText(command) ? (command.split(/[\\/]/u).at(-1) ?? command) : `mcp${index}`
}
