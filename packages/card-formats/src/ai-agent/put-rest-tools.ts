import type { Json, JsonObject } from '@troupe/schema'
import { addToList, type FieldContext, type FieldPath, type ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { becomes, lost, reportKeys, without, type ConfigKeys } from './config-keys.ts'
import { entryMapping, refuseEntry, type ConfigEntry } from './config-layers.ts'
import { queueLimit } from './queues.ts'

/** Keys of a REST tool. */
export const REST_KEYS: ConfigKeys = {
  description: becomes('functionTools.description'),
  method: becomes('functionTools.method'),
  url: becomes('functionTools.url'),
  headers: becomes('functionTools.headers'),
  parametersSchema: becomes('functionTools.parameters'),
  bodyTemplate: becomes('functionTools.body'),
  streaming: becomes('functionTools.lines', 'only `json-stream`; another mode is an error'),
  hasComplexQueryParams: without('an error if it is true: nested query parameters are not written'),
  queryParamNames: without('it only affects `hasComplexQueryParams`'),
  queue: lost('calls of HTTP tools are limited by `limits.maxParallel` only', 'default'),
  cache: without('results of tools are not stored; see the hook `troupe:cache`'),
}
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/gu

/** Gives the agent a REST tool of the configuration, as an HTTP tool. */
export function putRestTool(
  name: string,
  entry: ConfigEntry,
  {
    layers,
    field,
    at,
  }: { readonly layers: readonly ProjectSettings[]; readonly field: FieldContext; readonly at: FieldPath },
): void {
  const value = entryMapping(entry, field)
  if (value === undefined) return
  const { rewriter } = field
  reportKeys(value, REST_KEYS, { entry, field })
  queueLimit(value['queue'], { entry, layers, field })
  if (value['hasComplexQueryParams'] === true)
    refuseEntry(entry, field, {
      key: 'hasComplexQueryParams',
      message: 'has nested query parameters, which Troupe does not support',
    })
  const tool: JsonObject = {
    use: 'troupe:http',
    name: `rest__${name}`,
    description: textOf(value['description'], name),
    method: textOf(value['method'], 'GET').toUpperCase(),
    url: value['url'] ?? '',
    ...copy('headers', value['headers']),
    ...copy('parameters', value['parametersSchema']),
    ...copy('body', value['bodyTemplate']),
    ...copy('lines', linesOf(value['streaming'], entry, field)),
  }
  addToList(rewriter, { to: ['functionTools'], values: [tool], from: at })
  const { url = '', headers = {}, body = null } = tool
  const variables = [...JSON.stringify([url, headers, body]).matchAll(VARIABLE)].map(
    ([, variable = '']) => variable,
  )
  addToList(rewriter, { to: ['env'], values: [...new Set(variables)], from: at })
  rewriter.note({
    key: `${entry.settings.label}: restTools.${name}`,
    status: 'translated',
    to: `functionTools: rest__${name}`,
  })
}

/** Returns how to read a stream of JSON lines. */
function linesOf(streaming: Json | undefined, entry: ConfigEntry, field: FieldContext): Json | undefined {
  if (streaming === undefined || streaming === null) return undefined
  const { mode, linePrefix, discriminatorField, doneValue, answerField, tokenValue, tokenField } =
    mappingOf(streaming)
  if (mode !== 'json-stream') {
    refuseEntry(entry, field, { key: 'streaming', message: `has the stream mode "${textOf(mode)}"` })
    return undefined
  }
  return {
    kind: textOf(discriminatorField, 'type'),
    ...copy('prefix', linePrefix),
    ...(isText(tokenField) ? { part: { kind: textOf(tokenValue, 'token'), key: tokenField } } : {}),
    ...(isText(answerField) ? { end: { kind: textOf(doneValue, 'done'), key: answerField } } : {}),
  }
}

function copy(key: string, value: Json | undefined): JsonObject {
  return value === undefined || value === null ? {} : { [key]: value }
}
