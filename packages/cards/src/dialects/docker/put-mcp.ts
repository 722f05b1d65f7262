import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldPath } from '../../fields/field-path.ts'
import type { FieldContext, FieldOutcome } from '../field-rule.ts'
import { isText, mappingOf, textOf } from '../json-shapes.ts'
import { putServer } from '../server-words.ts'
import { textList } from '../text-list.ts'

/** Keys of a toolset that are none of its server. */
const OF_TOOLSETS: ReadonlySet<string> = new Set([
  'type',
  'tools',
  'ref',
  'remote',
  'name',
  'instruction',
  'defer',
  'lifecycle',
  'config',
])

/** A toolset of the type `mcp`: a command, an address, or a server of Docker's catalogue. */
export function putMcp(
  toolset: JsonObject,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const shared = getOwn(mappingOf(field.card.fields['mcps']), textOf(toolset['ref']))
  const all: JsonObject = { ...mappingOf(shared), ...toolset }
  const { tools, ref, remote, name } = all
  const rest = Object.fromEntries(Object.entries(all).filter(([key]) => !OF_TOOLSETS.has(key)))
  const server = isJsonObject(remote)
    ? toRemote(remote)
    : isJsonObject(shared) || !isText(ref)
      ? rest
      : toGateway(ref)
  const id = nameOf({ name, ref, server }, String(at.at(-1)))
  putServer(id, server, { field, at })
  const listed = textList(tools ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(id, at, listed.length === 0 ? ['*'] : listed)
  return { status: 'translated', to: `mcpServers.${id}` }
}

function toRemote({ url, headers, transport_type: type }: JsonObject): JsonObject {
  return {
    type: type === 'sse' ? 'sse' : 'http',
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  }
}

/** Servers of Docker's catalogue run behind its gateway. */
function toGateway(ref: string): JsonObject {
  return { command: 'docker', args: ['mcp', 'gateway', 'run', `--servers=${ref.replace(/^docker:/u, '')}`] }
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
