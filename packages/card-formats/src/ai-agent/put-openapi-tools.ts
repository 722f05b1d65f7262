import { dirname, resolve } from 'node:path'
import { errorMessage, getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { addToList, textList, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { problemPlace } from '../rules/project-settings.ts'
import { becomes, reportKeys, type ConfigKeys } from './config-keys.ts'
import { entryMapping, refuseEntry, type ConfigEntry } from './config-layers.ts'
import { httpToolOf, withoutVariables, type OpenApiOperation } from './openapi-operation.ts'

/** Maximum characters of a document in JSON. One in YAML has the limits of a card. */
const MAX_LENGTH = 4 * 1024 * 1024
/** Maximum operations that become tools. */
const MAX_OPERATIONS = 100
/** Maximum parts of the schemas of all tools of a document. */
const MAX_PARTS = 50_000
/** Maximum characters of the name of a tool that every provider accepts. */
const MAX_NAME = 64
/** Maximum characters of the address of a server. */
const MAX_URL = 2000

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** Keys of an OpenAPI document. */
export const OPENAPI_KEYS: ConfigKeys = {
  spec: becomes('functionTools', 'a file in the folder of the configuration; a URL is an error'),
  baseUrl: becomes('functionTools.url'),
  headers: becomes('functionTools.headers'),
  includeMethods: becomes('functionTools', 'other operations do not become tools'),
  tagFilter: becomes('functionTools', 'other operations do not become tools'),
}
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/gu

interface OpenApiEntry {
  readonly name: string
  readonly entry: ConfigEntry
  readonly value: JsonObject
  readonly field: FieldContext
}

/** Gives the agent the operations of an OpenAPI document as HTTP tools. */
export function putOpenApiTools(
  name: string,
  entry: ConfigEntry,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): void {
  const value = entryMapping(entry, field)
  if (value === undefined) return
  const source = { name, entry, value, field }
  const refuse = refuser(source)
  reportKeys(value, OPENAPI_KEYS, { entry, field })
  const document = readDocument(source)
  if (document === undefined) return
  const baseUrl = isText(value['baseUrl']) ? value['baseUrl'] : serverUrl(document)
  if (baseUrl === undefined) {
    refuse('needs a `baseUrl`, because the document has no absolute address in `servers`', { key: 'spec' })
    return
  }
  const operations = chooseOperations(document, source)
  if (operations === undefined) return
  const headers = mappingOf(value['headers'])
  addTools(operations, { ...source, at, document, baseUrl: baseUrl.replace(/\/+$/u, ''), headers })
  const variables = [...JSON.stringify([baseUrl, headers]).matchAll(VARIABLE)].map(([, found = '']) => found)
  addToList(field.rewriter, { to: ['env'], values: [...new Set(variables)], from: at })
}

function refuser({
  entry,
  field,
}: OpenApiEntry): (message: string, more?: { readonly key?: string; readonly fix?: string }) => undefined {
  return (message, more = {}) => {
    refuseEntry(entry, field, { message, ...more })
  }
}

/** Reads the document, which must be in the folder of the configuration. Reports why it cannot be read. */
function readDocument(source: OpenApiEntry): JsonObject | undefined {
  const { entry, value, field } = source
  const { readText, readFields } = field.card
  const refuse = (message: string, fix?: string): undefined =>
    refuser(source)(message, { key: 'spec', ...(fix === undefined ? {} : { fix }) })
  const { spec } = value
  if (!isText(spec)) return refuse('needs the path of an OpenAPI document in `spec`')
  if (/^[a-z][a-z\d+.-]+:/iu.test(spec))
    return refuse(
      'names a URL, and Troupe fetches nothing while it reads a card',
      'Save the document beside the configuration, and write its path in `spec`.',
    )
  const root = dirname(entry.settings.file)
  const file = resolve(root, spec)
  try {
    if (readText === undefined) throw new Error('file access is not available')
    const text = readText(file, root).replace(/^\uFEFF/u, '')
    if (text.length > MAX_LENGTH) throw new Error('it has more than 4 MiB')
    const document: unknown = /^\s*\{/u.test(text) ? JSON.parse(text) : readFields?.(file, root)
    if (!isJsonObject(document))
      throw new Error('it is not JSON, or YAML of at most 1 MiB and 20,000 values without anchors')
    if (!/^3\b/u.test(textOf(document['openapi'])))
      throw new Error(
        `it is not a document of OpenAPI 3 (\`openapi: ${textOf(document['openapi'], 'none')}\`)`,
      )
    return document
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT'
    return refuse(
      `names "${spec}", which cannot be read: ${isMissing ? 'the file does not exist' : errorMessage(error)}`,
    )
  }
}

/** Returns the address of the first server, with the defaults of its variables. */
function serverUrl(document: JsonObject): string | undefined {
  const { servers } = document
  const server = mappingOf(Array.isArray(servers) ? (servers as readonly Json[])[0] : undefined)
  const variables = mappingOf(server['variables'])
  const url = textOf(server['url']).replaceAll(/\{([^{}]*)\}/gu, (_written, name: string) =>
    textOf(mappingOf(getOwn(variables, name))['default']),
  )
  return url.length <= MAX_URL && /^https?:\/\//iu.test(url) ? withoutVariables(url) : undefined
}

/** Returns the operations that the configuration selects. Reports filters that cannot be applied. */
function chooseOperations(
  document: JsonObject,
  source: OpenApiEntry,
): readonly OpenApiOperation[] | undefined {
  const refuse = refuser(source)
  const methods = filterOf('includeMethods', source)
  const tags = filterOf('tagFilter', source)
  if (methods === undefined || tags === undefined) return undefined
  const chosen = Object.entries(mappingOf(document['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method): OpenApiOperation[] => {
      const { [method]: operation, parameters } = mappingOf(item)
      const isChosen =
        isJsonObject(operation) &&
        methods.test((name) => name.toLowerCase() === method) &&
        tags.test((tag) => (textList(operation['tags'] ?? [], []) ?? []).some(({ text }) => text === tag))
      return isChosen ? [{ method: method.toUpperCase(), path, operation, shared: parameters }] : []
    }),
  )
  const fix = 'Select operations with `includeMethods` and `tagFilter`.'
  if (chosen.length === 0) return refuse('has no operation that the agent may call')
  if (chosen.length > MAX_OPERATIONS)
    return refuse(`has ${chosen.length} operations, more than ${MAX_OPERATIONS}`, { fix })
  return chosen
}

/** Returns a filter: without the key, everything passes. */
function filterOf(
  key: string,
  source: OpenApiEntry,
): { test(matches: (name: string) => boolean): boolean } | undefined {
  const written = source.value[key]
  if (written === undefined || written === null) return { test: () => true }
  const names = textList(written, [])
  if (names === undefined) return refuser(source)(`needs a list of names in \`${key}\``, { key })
  return { test: (matches) => names.some(({ text }) => matches(text)) }
}

interface DocumentSource extends OpenApiEntry {
  readonly at: FieldPath
  readonly document: JsonObject
  readonly baseUrl: string
  readonly headers: JsonObject
}

function addTools(operations: readonly OpenApiOperation[], source: DocumentSource): void {
  const { name, entry, field, at } = source
  const { rewriter } = field
  const present = rewriter.get(['functionTools'])
  const others = Array.isArray(present) ? (present as readonly Json[]) : []
  const used = new Set(others.map((tool) => textOf(mappingOf(tool)['name'])))
  const tools: JsonObject[] = []
  const leftOut: string[] = []
  const budget = { parts: MAX_PARTS }
  for (const found of operations) {
    const tool = toolName(name, found, used)
    try {
      tools.push(httpToolOf(tool, found, { ...source, budget }))
      used.add(tool)
    } catch (error) {
      leftOut.push(`${found.method} ${found.path.slice(0, MAX_NAME)} (${errorMessage(error)})`)
    }
  }
  addToList(rewriter, { to: ['functionTools'], values: tools, from: at })
  rewriter.note({
    key: `${entry.settings.label}: openapiSpecs.${name}`,
    status: 'translated',
    to: `functionTools: rest__${name}_… (${tools.length})`,
    ...(leftOut.length === 0 ? {} : { reason: `without ${leftOut.join(', ')}` }),
  })
  if (leftOut.length > 0)
    rewriter.addProblem({
      severity: tools.length === 0 ? 'error' : 'warning',
      code: tools.length === 0 ? 'card_unsupported' : 'key_without_effect',
      message: `${entry.settings.name}: \`${entry.at.join('.')}\` has operations that Troupe cannot call: ${shortList(leftOut)}.`,
      ...problemPlace({ settings: entry.settings, at: entry.at }),
    })
}

function shortList(texts: readonly string[]): string {
  const rest = texts.length - 3
  return `${texts.slice(0, 3).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Names a tool after its operation, or else after its method and path. The name is not in use. */
function toolName(spec: string, { operation, method, path }: OpenApiOperation, used: Set<string>): string {
  const written = textOf(operation['operationId']) || `${method.toLowerCase()}${path}`
  const name = `rest__${slug(spec)}_${slug(written)}`
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`
    const candidate = `${name.slice(0, MAX_NAME - end.length)}${end}`
    if (!used.has(candidate)) return candidate
  }
}

function slug(text: string): string {
  return text
    .slice(0, 2 * MAX_NAME)
    .replaceAll(/[^A-Za-z\d_-]+/gu, '_')
    .replaceAll(/^_+|_+$/gu, '')
}
