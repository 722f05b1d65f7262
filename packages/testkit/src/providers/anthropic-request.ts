import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { badRequest, firstRefusal, objects, unknownField, type Refusal, textOf } from './provider-api.ts'
import type { FakeProviderOptions } from './fake-provider.ts'

const FIELDS = new Set(
  `model messages max_tokens cache_control container context_management inference_geo mcp_servers metadata
  output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools
  top_k top_p`.split(/\s+/u),
)
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/u
const CALL_ID = /^[a-zA-Z0-9_-]+$/u

/** Validates a request like the Messages API. Returns `undefined` if it is valid. */
export function checkMessagesRequest(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const messages = objects(body['messages'])
  return firstRefusal([
    () => checkFields(body, options),
    () => checkTools(objects(body['tools'])),
    () => checkText(body['system'], 'system'),
    () => checkRoles(messages),
    () => firstRefusal(messages.map((message, index) => () => checkContent(message, index, messages.length))),
    () => checkToolResults(messages),
  ])
}

function checkFields(body: JsonObject, options: FakeProviderOptions): Refusal | undefined {
  const unknown = unknownField(body, FIELDS, options)
  if (unknown !== undefined) return badRequest(`${unknown}: Extra inputs are not permitted`)
  for (const field of ['model', 'max_tokens', 'messages'])
    if (body[field] === undefined) return badRequest(`${field}: Field required`)
  const limit = body['max_tokens']
  if (typeof limit !== 'number' || limit < 1)
    return badRequest('max_tokens: Input should be greater than or equal to 1')
  if (objects(body['messages']).length === 0) return badRequest('messages: at least one message is required')
  return undefined
}

function checkTools(tools: readonly JsonObject[]): Refusal | undefined {
  const names = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== undefined && tool['type'] !== 'custom') continue
    const at = `tools.${index}.custom`
    const { name, input_schema: schema } = tool
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (!isJsonObject(schema)) return badRequest(`${at}.input_schema: Field required`)
    if (schema['type'] === undefined) return badRequest(`${at}.input_schema.type: Field required`)
    if (schema['type'] !== 'object') return badRequest(`${at}.input_schema.type: Input should be 'object'`)
    if (names.has(name)) return badRequest('tools: Tool names must be unique.')
    names.add(name)
  }
  return undefined
}

function checkRoles(messages: readonly JsonObject[]): Refusal | undefined {
  let previous: Json | undefined
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'user' && role !== 'assistant')
      return badRequest(`messages.${index}.role: Input should be 'user' or 'assistant'`)
    if (index === 0 && role !== 'user') return badRequest('messages: first message must use the "user" role')
    if (role === previous) {
      return badRequest(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      )
    }
    previous = role
  }
  return undefined
}

function checkContent(message: JsonObject, index: number, count: number): Refusal | undefined {
  const { content, role } = message
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0) || content === undefined
  const isPrefill = role === 'assistant' && index === count - 1
  if (isEmpty && !isPrefill) {
    return badRequest(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  }
  if (isPrefill && /\s$/u.test(lastText(content)))
    return badRequest('messages: final assistant content cannot end with trailing whitespace')
  return checkText(content, 'messages') ?? checkCalls(objects(content), index)
}

function checkText(content: Json | undefined, at: string): Refusal | undefined {
  const isEmpty = objects(content).some((block) => block['type'] === 'text' && block['text'] === '')
  return isEmpty ? badRequest(`${at}: text content blocks must be non-empty`) : undefined
}

function checkCalls(blocks: readonly JsonObject[], index: number): Refusal | undefined {
  for (const [ordinal, block] of blocks.entries()) {
    if (block['type'] !== 'tool_use') continue
    const at = `messages.${index}.content.${ordinal}.tool_use`
    if (!CALL_ID.test(textOf(block['id'])))
      return badRequest(`${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
    if (!TOOL_NAME.test(textOf(block['name'])))
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (!isJsonObject(block['input'])) return badRequest(`${at}.input: Input should be a valid dictionary`)
  }
  return undefined
}

/** Checks that the calls of a message are answered in the next message, and nothing else is. */
function checkToolResults(messages: readonly JsonObject[]): Refusal | undefined {
  let open = new Set<unknown>()
  for (const [index, message] of [...messages, { content: [] }].entries()) {
    const blocks = objects(message['content'])
    for (const [ordinal, block] of blocks.entries()) {
      const id = block['tool_use_id']
      if (block['type'] !== 'tool_result' || open.delete(id)) continue
      return badRequest(
        `messages.${index}.content.${ordinal}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textOf(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    if (open.size > 0) {
      return badRequest(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      )
    }
    open = new Set(blocks.filter((block) => block['type'] === 'tool_use').map((block) => block['id']))
  }
  return undefined
}

function lastText(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return textOf(objects(content).at(-1)?.['text'])
}
