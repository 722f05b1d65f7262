import {
  ProtocolError,
  ProtocolErrorCode,
  type CreateMessageRequest,
  type CreateMessageResult,
} from '@modelcontextprotocol/client'
import type { Message, ToolContext } from '@troupe/schema'

/** Maximum number of model calls for a server during one call of a tool. */
const MAX_SAMPLES = 10
/** Maximum number of output tokens of one model call. */
const MAX_TOKENS = 4096
const MAX_MESSAGES = 100
/** Maximum number of characters of all messages and the system prompt. */
const MAX_CHARACTERS = 200_000

/** A request of a server for a model call. */
interface SamplingRequest {
  readonly server: string
  readonly params: CreateMessageRequest['params']
  /** The call that caused it; `undefined` if that is not known. */
  readonly call: ToolContext | undefined
}

/** Number of model calls so far, by the call of the tool. */
const samplesByCall = new WeakMap<ToolContext, number>()

/**
 * Calls the model of the agent whose call caused the request. The run pays for it. Rejects with a protocol error if the
 * request exceeds a limit or the model fails.
 */
export async function answerSampling({
  server,
  params,
  call,
}: SamplingRequest): Promise<CreateMessageResult> {
  if (call === undefined)
    throw refusal('several calls share the connection; `shared: false` gives each run its own')
  if (call.sample === undefined) throw refusal('the run is recorded')
  const count = (samplesByCall.get(call) ?? 0) + 1
  if (count > MAX_SAMPLES) throw refusal(`a call may use the model ${MAX_SAMPLES} times`)
  samplesByCall.set(call, count)
  const { systemPrompt: system = '', maxTokens } = params
  const messages = readMessages(params)
  call.progress(`the MCP server "${server}" uses the model`)
  const answer = await call.sample({ system, messages, maxOutputTokens: Math.min(maxTokens, MAX_TOKENS) })
  if ('failure' in answer) throw refusal(`the model failed (${answer.failure.code})`)
  const { text, model, finishReason } = answer
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model,
    stopReason: finishReason === 'length' ? 'maxTokens' : 'endTurn',
  }
}

function readMessages({ messages, systemPrompt = '', tools }: SamplingRequest['params']): readonly Message[] {
  if (tools !== undefined) throw refusal('tools are not supported')
  if (messages.length === 0 || messages.length > MAX_MESSAGES)
    throw refusal(`a request needs 1 to ${MAX_MESSAGES} messages`)
  let characters = systemPrompt.length
  return messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content]
    const parts = blocks.map((block) => {
      if (block.type !== 'text')
        throw refusal(`content of the type ${block.type} is not supported, only text`)
      characters += block.text.length
      if (characters > MAX_CHARACTERS) throw refusal(`the text may have ${MAX_CHARACTERS} characters`)
      return { type: 'text' as const, text: block.text }
    })
    return { role, content: parts }
  })
}

function refusal(reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, `The model is not available: ${reason}.`)
}
