import type { AssistantMessage, LanguageModel, Message, ToolMessage, UserMessage } from '@troupe/schema'
import type { ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

type ToolBlockPart = ToolMessage['content'][number]
type AssistantBlockPart = AssistantMessage['content'][number]

/**
 * Wraps a model to send earlier tool calls and results as text if the call declares no tools, as in a forked
 * child without tools. Several providers reject requests with such blocks but no tools. Bedrock has no choice
 * `none`, so its adapter removes the tools and then these blocks.
 */
export function withoutToolBlocks(model: LanguageModel, protocol?: ProtocolName): LanguageModel {
  return withCallOptions(model, (options) => {
    const { tools = [], toolChoice, prompt, ...rest } = options
    const isWithoutTools = tools.length === 0 || (protocol === 'bedrock' && toolChoice?.type === 'none')
    return isWithoutTools && prompt.some(hasToolBlock) ? { ...rest, prompt: blocksAsText(prompt) } : options
  })
}

/** Converts tool blocks to text. Joins adjacent user messages. */
function blocksAsText(messages: readonly Message[]): Message[] {
  const result: Message[] = []
  for (const message of messages) {
    const next = message.role === 'tool' ? resultsAsText(message) : callsAsText(message)
    const last = result.at(-1)
    if (next.role === 'user' && last?.role === 'user')
      result[result.length - 1] = { role: 'user', content: [...last.content, ...next.content] }
    else result.push(next)
  }
  return result
}

function hasToolBlock({ role, content }: Message): boolean {
  return role === 'tool' || (role === 'assistant' && content.some(isOwnCall))
}

/** Returns true for a tool call, unless the provider executed it itself. */
function isOwnCall(part: AssistantBlockPart): part is Extract<AssistantBlockPart, { type: 'tool-call' }> {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

function callsAsText(message: Exclude<Message, ToolMessage>): Message {
  if (message.role !== 'assistant') return message
  const content = message.content.map((part) =>
    isOwnCall(part) ? textPart(`[Called ${part.toolName} with ${JSON.stringify(part.input)}]`) : part,
  )
  return { role: 'assistant', content }
}

function resultsAsText({ content }: ToolMessage): UserMessage {
  return { role: 'user', content: content.flatMap(partsOf) }
}

function partsOf(part: ToolBlockPart): UserMessage['content'] {
  if (part.type !== 'tool-result') return []
  const { toolName, output } = part
  if (output.type !== 'content')
    return [textPart(`[${toolName} returned] ${'value' in output ? textOf(output.value) : output.type}`)]
  const files = output.value.filter((each) => each.type === 'file')
  const texts = output.value.flatMap((each) => (each.type === 'text' ? [each.text] : []))
  return [
    textPart(`[${toolName} returned] ${texts.join('\n')}`),
    ...files.map(({ mediaType, data }) => ({ type: 'file' as const, mediaType, data })),
  ]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function textPart(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text }
}
