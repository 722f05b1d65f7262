import { getOwn, type Json, type JsonObject } from '@troupe/schema'
import { addToList, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { entryMapping, refuseEntry, type ConfigEntry } from './config-layers.ts'

/** Keys without an equivalent, with the reason. */
const IGNORED: Readonly<Record<string, string>> = {
  queue: 'calls of HTTP tools are limited by `limits.maxToolCallsPerTurn` only',
  cache: 'results of tools are not stored; see the hook `troupe:cache`',
  queryParamNames: 'it only affects `hasComplexQueryParams`',
}
const TRANSLATED: ReadonlySet<string> = new Set([
  'description',
  'method',
  'url',
  'headers',
  'parametersSchema',
  'bodyTemplate',
  'streaming',
  'hasComplexQueryParams',
])
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/gu

/** Gives the agent a REST tool of the configuration, as an HTTP tool. */
export function putRestTool(
  name: string,
  entry: ConfigEntry,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): void {
  const value = entryMapping(entry, field)
  if (value === undefined) return
  const { rewriter } = field
  reportOtherKeys(value, entry, field)
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
  const variables = [...JSON.stringify(tool).matchAll(VARIABLE)].map(([, variable = '']) => variable)
  addToList(rewriter, { to: ['env'], values: [...new Set(variables)], from: at })
  rewriter.note({
    key: `${entry.settings.label}: restTools.${name}`,
    status: 'translated',
    to: `functionTools: rest__${name}`,
  })
}

function reportOtherKeys(value: JsonObject, entry: ConfigEntry, field: FieldContext): void {
  if (value['hasComplexQueryParams'] === true)
    refuseEntry(entry, field, {
      key: 'hasComplexQueryParams',
      message: 'has nested query parameters, which Troupe does not write',
    })
  for (const key of Object.keys(value)) {
    const reason = getOwn(IGNORED, key)
    if (reason !== undefined)
      field.rewriter.note({
        key: `${entry.settings.label}: ${[...entry.at, key].join('.')}`,
        status: 'ignored',
        reason,
      })
    else if (!TRANSLATED.has(key))
      refuseEntry(entry, field, { key, message: `has the unknown key \`${key}\`` })
  }
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
