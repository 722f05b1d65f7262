import type { Json, JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../../fields/field-path.ts'
import { ignored, type FieldContext, type FieldOutcome } from '../field-rule.ts'
import { mappingOf, textOf } from '../json-shapes.ts'
import { textList } from '../text-list.ts'
import { FILE_TOOLS, TOOLSETS } from './docker-tools.ts'
import { putMcp } from './put-mcp.ts'

/** `toolsets`: tools of docker-agent, and MCP servers. */
export function putToolsets(value: Json, field: FieldContext): FieldOutcome {
  field.grant.limit()
  if (!Array.isArray(value)) return ignored('it is no list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    field.rewriter.note({ ...putToolset(mappingOf(entry), { field, at }), key: dotted(at) })
  }
  return undefined
}

function putToolset(
  toolset: JsonObject,
  place: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const { field, at } = place
  if (toolset['type'] === 'mcp') return putMcp(toolset, place)
  const type = textOf(toolset['type'], 'none')
  const word = TOOLSETS.get(type)
  if (word === undefined) return { status: 'ignored', reason: `there are no toolsets of the type ${type}` }
  if (!('tools' in word)) return { status: 'ignored', reason: 'reason' in word ? (word.reason ?? '') : '' }
  const listed = textList(toolset['tools'] ?? [], at) ?? []
  const named = listed.flatMap(({ text }) => FILE_TOOLS.get(text) ?? [])
  const tools = listed.length === 0 ? word.tools : [...new Set(named)]
  field.grant.allow(tools, at)
  return { status: 'translated', to: tools.join(', ') || 'nothing' }
}
