import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, exactToolNames, type FieldOutcome, textList } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { putServer } from '../rules/server-keys.ts'
import { goDuration } from './go-duration.ts'
import type { ToolsetContext } from './put-toolsets.ts'

/** Keys of a toolset that are handled separately: which server it is, and which of its tools. */
const OF_TOOLSETS: ReadonlySet<string> = new Set([
  'type',
  'tools',
  'ref',
  'remote',
  'name',
  'readonly',
  'lifecycle',
])
/** Keys of a toolset that have no effect in Troupe, with the reason. */
const WITHOUT_MEANING: ReadonlyMap<string, string> = new Map([
  ['instruction', 'tool descriptions of a server are not changed'],
  ['config', 'catalogue servers are configured in the Docker gateway'],
  ['defer', 'all tools are always available'],
  ['model', 'each agent sets its own model'],
  ['version', 'server programs are not installed automatically'],
  ['toon', 'results are not changed'],
  ['allow_private_ips', 'any URL is allowed'],
])
const READ_ONLY = 'it is `readonly`, and whether a tool of a server only reads is not known in advance'

/** Adds a toolset of type `mcp`: a command, a URL, or a server of Docker's catalogue. */
export function putMcp(toolset: JsonObject, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  const shared = getOwn(mappingOf(field.card.fields['mcps']), textOf(toolset['ref']))
  const all = isJsonObject(shared) ? withDefinition(toolset, shared) : toolset
  const { tools, ref, remote, name } = all
  const server = isJsonObject(remote) ? toRemote(remote) : !isText(ref) ? toCommand(all) : toGateway(ref)
  const id = nameOf({ name, ref, server }, String(at.at(-1)))
  if (all['readonly'] === true || field.card.fields['readonly'] === true) return leaveOut(id, { field, at })
  putServer(id, { ...server, ...timesOf(all) }, { field, at })
  noteRest(all, { field, at })
  const listed = textList(tools ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(id, at, listed.length === 0 ? ['*'] : exactToolNames(listed))
  return { status: 'translated', to: `mcpServers.${id}` }
}

/** Leaves out a server whose tools may only read, with a warning. */
function leaveOut(id: string, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `The agent gets no tool of the server \`${id}\`: ${READ_ONLY}.`,
    at,
    fix: 'Remove `readonly`, and list the tools that only read in `tools`.',
  })
  return { status: 'ignored', reason: READ_ONLY }
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

/** Returns the server definition of a toolset. Its variables may be a list of `NAME=value`. */
function toCommand(all: JsonObject): JsonObject {
  const rest = Object.entries(all).filter(([key]) => !OF_TOOLSETS.has(key) && !WITHOUT_MEANING.has(key))
  const { env } = all
  if (!Array.isArray(env)) return Object.fromEntries(rest)
  const variables = (env as readonly Json[]).map((entry): readonly [string, Json] => {
    const [name = '', ...value] = textOf(entry).split('=')
    return [name, value.length === 0 ? `\${${name}}` : value.join('=')]
  })
  return { ...Object.fromEntries(rest), env: Object.fromEntries(variables) }
}

function toRemote({ url, headers, transport_type: type }: JsonObject): JsonObject {
  return {
    type: type === 'sse' ? 'sse' : 'http',
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  }
}

/** Runs a server of Docker's catalogue behind Docker's MCP gateway. */
function toGateway(ref: string): JsonObject {
  return { command: 'docker', args: ['mcp', 'gateway', 'run', `--servers=${ref.replace(/^docker:/u, '')}`] }
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

function noteRest(all: JsonObject, { field, at }: ToolsetContext): void {
  for (const key of Object.keys(all)) {
    const reason = WITHOUT_MEANING.get(key)
    if (reason !== undefined)
      field.rewriter.note({ key: dottedPath([...at, key]), status: 'ignored', reason })
  }
  if (Object.hasOwn(all, 'lifecycle'))
    field.rewriter.note({
      key: dottedPath([...at, 'lifecycle']),
      status: 'translated',
      to: 'startTimeout, toolTimeout',
      reason: 'the next call restarts a server that has ended',
    })
}

function nameOf(
  {
    name,
    ref,
    server,
  }: { readonly name?: Json | undefined; readonly ref?: Json | undefined; readonly server: JsonObject },
  index: string,
): string {
  if (isText(name)) return name.replaceAll(/\s+/gu, '-')
  if (isText(ref)) return ref.replace(/^docker:/u, '')
  const command = server['command']
  return isText(command) ? (command.split(/[\\/]/u).at(-1) ?? command) : `mcp${index}`
}
