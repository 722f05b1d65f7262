import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { signatureProblem, type AwsCredentials } from './aws-signature.ts'
import { encodeEventStreamMessage } from './event-stream.ts'
import {
  textPieces,
  usageOf,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from './fake-provider.ts'
import { startFakeServer } from './fake-server.ts'
import {
  badRequest,
  firstRefusal,
  objects,
  textOf,
  unknownField,
  type FakeExchange,
  type ProviderApi,
  type Refusal,
  type Reply,
} from './provider-api.ts'

/** Options of a fake of Bedrock. `apiKey` is the only accepted bearer token. */
export interface FakeBedrockOptions extends FakeProviderOptions {
  /** Credentials that requests must be signed with; bearer tokens are refused then. */
  readonly credentials?: AwsCredentials
}

const PATH = /^\/model\/(?<model>[^/]+)\/converse(?:-stream)?$/u

/**
 * Starts a fake of the Converse API of Bedrock: `POST /model/ID/converse` and `/converse-stream`. Checks the
 * signature of requests, and rejects requests that the real API rejects.
 */
export function startFakeBedrock(options: FakeBedrockOptions): Promise<FakeProvider> {
  const providerApi: ProviderApi = {
    basePath: '',
    authorise: (request) => authorise(request, options),
    route: (path) => (PATH.test(path) ? { check: checkConverse, reply: converseReply } : undefined),
    errorBody: ({ message }) => ({ message }),
    streamError: ({ message }) =>
      encodeEventStreamMessage(
        {
          ':message-type': 'exception',
          ':exception-type': 'modelStreamErrorException',
          ':content-type': JSON_TYPE,
        },
        { message },
      ),
  }
  return startFakeServer(providerApi, options)
}

function authorise(
  request: RecordedRequest,
  { apiKey, credentials }: FakeBedrockOptions,
): Refusal | undefined {
  if (credentials !== undefined) {
    const message = signatureProblem(request, 'bedrock', credentials)
    return message === undefined ? undefined : { status: 403, message }
  }
  const key = /^Bearer (?<key>\S+)$/u.exec(request.headers['authorization'] ?? '')?.groups?.['key']
  if (key === undefined) return { status: 403, message: 'Missing Authentication Token' }
  return apiKey === undefined || key === apiKey
    ? undefined
    : { status: 403, message: 'Authentication failed: invalid API key.' }
}

const JSON_TYPE = 'application/json'

function converseReply(exchange: FakeExchange): Reply {
  const { answer, request } = exchange
  const blocks = contentBlocks(exchange)
  const ending = { stopReason: stopReason(answer) }
  const numbers = { usage: usage(exchange), metrics: { latencyMs: 1 } }
  if (!request.path.endsWith('-stream'))
    return { json: { output: { message: { role: 'assistant', content: blocks } }, ...ending, ...numbers } }
  const events: readonly (readonly [string, object])[] = [
    ['messageStart', { role: 'assistant' }],
    ...blocks.flatMap(blockEvents),
    ['messageStop', ending],
    ['metadata', numbers],
  ]
  return {
    chunks: events.map(([type, payload]) =>
      encodeEventStreamMessage(
        { ':message-type': 'event', ':event-type': type, ':content-type': JSON_TYPE },
        payload,
      ),
    ),
    contentType: 'application/vnd.amazon.eventstream',
  }
}

type ReplyBlock =
  | { readonly text: string }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: unknown } }

function contentBlocks({ request, answer }: FakeExchange): readonly ReplyBlock[] {
  const text: ReplyBlock[] = answer.text === undefined ? [] : [{ text: answer.text }]
  const calls = (answer.calls ?? []).map(({ id, name, args }, index) => ({
    toolUse: { toolUseId: id ?? `tooluse_${request.index}_${index}`, name, input: args },
  }))
  return [...text, ...calls]
}

function blockEvents(block: ReplyBlock, contentBlockIndex: number): readonly (readonly [string, object])[] {
  const at = { contentBlockIndex }
  const delta = (content: object): readonly [string, object] => [
    'contentBlockDelta',
    { ...at, delta: content },
  ]
  if ('text' in block)
    return [...textPieces(block.text).map((text) => delta({ text })), ['contentBlockStop', at]]
  const { input, ...start } = block.toolUse
  const args = typeof input === 'string' ? input : JSON.stringify(input)
  return [
    ['contentBlockStart', { ...at, start: { toolUse: start } }],
    delta({ toolUse: { input: args } }),
    ['contentBlockStop', at],
  ]
}

function stopReason({ finish, calls = [] }: FakeAnswer): string {
  if (finish !== undefined) return finish === 'length' ? 'max_tokens' : 'content_filtered'
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

function usage({ answer, body }: FakeExchange): object {
  const { input, output, cacheRead, cacheWrite } = usageOf(answer, body['messages'])
  return {
    inputTokens: input - cacheRead - cacheWrite,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  }
}

const FIELDS = new Set(
  `messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields
  additionalModelResponseFieldPaths promptVariables requestMetadata performanceConfig serviceTier`.split(
    /\s+/u,
  ),
)
const NAME = /^[a-zA-Z0-9_-]{1,64}$/u
const IMAGE_FORMATS = new Set(['png', 'jpeg', 'gif', 'webp'])

/** Validates a request like the Converse API. Returns `undefined` if it is valid. */
function checkConverse(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) return badRequest(`Malformed input request: extraneous key [${unknown}]`)
  const messages = objects(body['messages'])
  const { toolConfig } = body
  return firstRefusal([
    () => checkRoles(messages),
    () =>
      firstRefusal(
        messages.flatMap(({ content }) => objects(content).map((block) => () => checkBlock(block))),
      ),
    () => checkToolConfig(toolConfig, messages),
    () => checkToolResults(messages),
  ])
}

function checkRoles(messages: readonly JsonObject[]): Refusal | undefined {
  if (messages[0]?.['role'] !== 'user')
    return badRequest(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    )
  const isRepeated = messages.some(({ role }, index) => index > 0 && role === messages[index - 1]?.['role'])
  return isRepeated
    ? badRequest('A conversation must alternate between user and assistant roles.')
    : undefined
}

function checkBlock(block: JsonObject): Refusal | undefined {
  const { text, image, toolUse } = block
  if (Object.keys(block).length !== 1) return badRequest('A content block must have exactly one member.')
  if (text !== undefined && textOf(text).trim() === '')
    return badRequest(
      'The text field in the ContentBlock object is blank. Add text to the text field, and try again.',
    )
  if (isJsonObject(image) && !IMAGE_FORMATS.has(textOf(image['format'])))
    return badRequest(`Value at 'image.format' failed to satisfy constraint: ${textOf(image['format'])}`)
  if (isJsonObject(toolUse) && (!NAME.test(textOf(toolUse['name'])) || !isJsonObject(toolUse['input'])))
    return badRequest("Value at 'toolUse' failed to satisfy constraint: name or input")
  return undefined
}

function checkToolConfig(config: Json | undefined, messages: readonly JsonObject[]): Refusal | undefined {
  const tools = isJsonObject(config) ? objects(config['tools']) : []
  const usesTools = messages.some(({ content }) => objects(content).some(isToolBlock))
  if (tools.length === 0 && (config !== undefined || usesTools))
    return badRequest(
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    )
  return firstRefusal(
    tools.map(({ toolSpec, cachePoint }) => () => {
      if (cachePoint !== undefined) return undefined
      const spec = isJsonObject(toolSpec) ? toolSpec : {}
      const schema = isJsonObject(spec['inputSchema']) ? spec['inputSchema']['json'] : undefined
      if (NAME.test(textOf(spec['name'])) && isJsonObject(schema) && schema['type'] === 'object')
        return undefined
      return badRequest(
        `The value at toolConfig.tools.toolSpec.inputSchema.json.type must be one of the following: object. (${textOf(spec['name'])})`,
      )
    }),
  )
}

function isToolBlock({ toolUse, toolResult }: JsonObject): boolean {
  return toolUse !== undefined || toolResult !== undefined
}

/** Checks that the calls of a message are answered in the next message, and nothing else is. */
function checkToolResults(messages: readonly JsonObject[]): Refusal | undefined {
  let open: readonly Json[] = []
  for (const { content } of [...messages, { content: [] }]) {
    const answered = idsOf(content, 'toolResult')
    const isSame = answered.length === open.length && answered.every((id) => open.includes(id))
    if (!isSame)
      return badRequest(
        `Expected toolResult blocks for the following Ids: ${open.map(textOf).join(', ')}, but found: ${answered.map(textOf).join(', ')}`,
      )
    open = idsOf(content, 'toolUse')
  }
  return undefined
}

function idsOf(content: Json | undefined, kind: 'toolUse' | 'toolResult'): readonly Json[] {
  return objects(content).flatMap((block) => {
    const part = block[kind]
    return isJsonObject(part) ? [part['toolUseId'] ?? null] : []
  })
}
