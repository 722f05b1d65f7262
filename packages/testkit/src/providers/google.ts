import {
  badRequest,
  EVENT_STREAM,
  formatServerSentEvent,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
  firstRefusal,
  objects,
  unknownField,
  textOf,
} from './provider-api.ts'
import { startFakeServer } from './fake-server.ts'
import {
  textPieces,
  usageOf,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './fake-provider.ts'
import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
])
const ADDRESS = /^\/models\/[^/:?]+:(?:stream)?[gG]enerateContent(?:\?|$)/u

const providerApi: ProviderApi = {
  basePath: '/v1beta',
  overflow: (tokens, window) =>
    badRequest(`The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`),
  authorise,
  route: (path) => (ADDRESS.test(path) ? { check: checkGenerateRequest, reply: generateReply } : undefined),
  errorBody: googleError,
  streamError: (refusal) => formatServerSentEvent(googleError(refusal)),
}

/** Formats an error of a Google API. */
export function googleError({ status, message, code }: Refusal): object {
  return {
    error: {
      code: status,
      message,
      status: STATUSES.get(status) ?? 'UNKNOWN',
      ...(code === undefined ? {} : { details: [errorInfo(code)] }),
    },
  }
}

/**
 * Starts a fake of the Gemini API: `POST /v1beta/models/NAME:generateContent` and `:streamGenerateContent`.
 * Rejects requests that the real API rejects. Like the real API, it responds with 403 to a missing key and
 * with 400 to a wrong one.
 */
export function startFakeGoogle(options: FakeProviderOptions): Promise<FakeProvider> {
  return startFakeServer(providerApi, options)
}

function authorise({ headers, path }: RecordedRequest, options: FakeProviderOptions): Refusal | undefined {
  const inQuery = new URL(path, 'http://localhost').searchParams.get('key')
  const key = headers['x-goog-api-key'] ?? inQuery ?? ''
  if (key === '') {
    return {
      status: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    }
  }
  if (options.apiKey === undefined || key === options.apiKey) return undefined
  return { status: 400, message: 'API key not valid. Please pass a valid API key.', code: 'API_KEY_INVALID' }
}

function errorInfo(reason: string): object {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  }
}

/** Creates a Gemini API response, streamed if the URL says so. */
export function generateReply(exchange: FakeExchange): Reply {
  const { path } = exchange.request
  const parts = answerParts(exchange.answer)
  if (!path.includes(':streamGenerateContent')) return { json: response(exchange, parts, true) }
  const pieces = streamParts(exchange.answer)
  const responses = pieces.map((part, index) => response(exchange, [part], index === pieces.length - 1))
  if (!path.includes('alt=sse')) return { json: responses }
  return { chunks: responses.map((chunk) => formatServerSentEvent(chunk)), contentType: EVENT_STREAM }
}

function answerParts({ text, calls = [] }: FakeAnswer): readonly object[] {
  const texts = text === undefined ? [] : [{ text }]
  return [...texts, ...calls.map(callPart)]
}

function streamParts({ text = '', calls = [] }: FakeAnswer): readonly object[] {
  const parts = [...textPieces(text).map((piece) => ({ text: piece })), ...calls.map(callPart)]
  return parts.length > 0 ? parts : [{ text: '' }]
}

function callPart({ id, name, args }: NonNullable<FakeAnswer['calls']>[number]): object {
  return { functionCall: { ...(id === undefined ? {} : { id }), name, args } }
}

function response(exchange: FakeExchange, parts: readonly object[], isLast: boolean): object {
  const { request, body, answer } = exchange
  const { input, output, cacheRead, reasoning } = usageOf(answer, body['contents'])
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
  }
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        index: 0,
        ...(isLast ? { finishReason: finishReason(answer), ...groundingOf(answer) } : {}),
      },
    ],
    ...(answer.usage === 'none' ? {} : { usageMetadata }),
    modelVersion: 'fake',
    responseId: `response-${request.index}`,
  }
}

function groundingOf({ citations = [] }: FakeAnswer): object {
  if (citations.length === 0) return {}
  const groundingChunks = citations.map(({ url: uri, title }) => ({ web: { uri, title } }))
  return { groundingMetadata: { groundingChunks } }
}

function finishReason({ finish }: FakeAnswer): string {
  if (finish === undefined) return 'STOP'
  return finish === 'length' ? 'MAX_TOKENS' : 'SAFETY'
}

const FIELDS = new Set(
  'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent serviceTier store'.split(
    ' ',
  ),
)
const SCHEMA_FIELDS = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties
  minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(/\s+/u),
)
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/u

/** Validates a request like the Gemini API. Returns `undefined` if it is valid. */
export function checkGenerateRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const contents = objects(body['contents'])
  return firstRefusal([
    () => checkFields(body, options),
    () => firstRefusal(objects(body['tools']).map((tool, index) => () => checkTool(tool, index))),
    () => firstRefusal(contents.map((content, index) => () => checkContent(content, index))),
    () => checkFunctionTurns(contents),
  ])
}

function checkFields(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) {
    return badRequest(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`)
  }
  if (objects(body['contents']).length === 0)
    return badRequest('* GenerateContentRequest.contents: contents is not specified')
  return undefined
}

function checkTool(tool: JsonObject, index: number): Refusal | undefined {
  const declarations = objects(tool['functionDeclarations'])
  return firstRefusal(
    declarations.map((declaration, ordinal) => () => {
      const at = `tools[${index}].function_declarations[${ordinal}]`
      if (!FUNCTION_NAME.test(textOf(declaration['name']))) {
        return badRequest(
          `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`,
        )
      }
      const schema = declaration['parameters']
      return schema === undefined ? undefined : checkSchema(schema, `${at}.parameters`)
    }),
  )
}

function checkSchema(schema: Json | undefined, at: string): Refusal | undefined {
  if (!isJsonObject(schema)) return badRequest(`Invalid value at '${at}'`)
  const unknown = Object.keys(schema).find((key) => !SCHEMA_FIELDS.has(key))
  if (unknown !== undefined) {
    return badRequest(
      `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.`,
    )
  }
  const { type, properties, items } = schema
  if (textOf(type).toUpperCase() === 'OBJECT' && properties !== undefined) {
    const entries = isJsonObject(properties) ? Object.entries(properties) : []
    if (entries.length === 0)
      return badRequest(`* GenerateContentRequest.${at}.properties: should be non-empty for OBJECT type`)
    return firstRefusal(
      entries.map(
        ([key, value]) =>
          () =>
            checkSchema(value, `${at}.properties[${key}]`),
      ),
    )
  }
  if (textOf(type).toUpperCase() !== 'ARRAY') return undefined
  return items === undefined
    ? badRequest(`* GenerateContentRequest.${at}.items: missing field.`)
    : checkSchema(items, `${at}.items`)
}

function checkContent(content: JsonObject, index: number): Refusal | undefined {
  const { role } = content
  if (role !== undefined && role !== 'user' && role !== 'model')
    return badRequest('Please use a valid role: user, model.')
  const parts = objects(content['parts'])
  const at = `GenerateContentRequest.contents[${index}].parts`
  if (parts.length === 0) return badRequest(`* ${at}: contents.parts must not be empty.`)
  const empty = parts.findIndex((part) => part['text'] === '' || Object.keys(part).length === 0)
  if (empty === -1 || role === 'model') return undefined
  return badRequest(`* ${at}[${empty}].data: required oneof field 'data' must have one initialized field`)
}

/** Checks that a turn with function calls follows a user turn, and that the next turn answers each call. */
function checkFunctionTurns(contents: readonly JsonObject[]): Refusal | undefined {
  let calls = 0
  let before = ''
  for (const content of [...contents, { role: 'end', parts: [] }]) {
    const parts = objects(content['parts'])
    const responses = parts.filter((part) => part['functionResponse'] !== undefined).length
    if (responses !== calls) {
      return badRequest(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    calls = parts.filter((part) => part['functionCall'] !== undefined).length
    if (calls > 0 && before !== 'user') {
      return badRequest(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    before = textOf(content['role'] ?? 'user')
  }
  return undefined
}
