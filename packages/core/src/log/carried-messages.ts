import {
  userMessage,
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type ToolResultPart,
} from '@troupe/schema'

/** Result of a call that had none when its run ended. */
const NO_RESULT: ToolResultPart['output'] = Object.freeze({
  type: 'error-text',
  value: 'The run ended before this call did.',
})

/**
 * Converts the messages of a run, whatever its outcome, to the history of the next run of its session.
 * Reasoning and provider data are removed, as another model may continue. Every provider accepts the result:
 * it starts with the user, roles alternate, each call has a result, and the assistant is last.
 * A missing answer is replaced by a note with `reason`.
 */
export function carriedMessages(messages: readonly Message[], reason?: string): readonly Message[] {
  const carried: Message[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') addUser(carried, message)
    if (message.role === 'assistant') addAssistant(carried, message, messages[index + 1])
  }
  if (carried.length > 0 && carried.at(-1)?.role !== 'assistant') carried.push(assistantNote(reason))
  return carried.map((message) => Object.freeze(message))
}

function addUser(carried: Message[], { content }: Extract<Message, { role: 'user' }>): void {
  const parts = portableParts(content)
  if (parts.length === 0) return
  if (carried.at(-1)?.role === 'user') carried.push(assistantNote())
  carried.push({ role: 'user', content: parts })
}

/** Appends an answer and the results of its calls. Calls without a result get a placeholder. */
function addAssistant(carried: Message[], { content }: AssistantMessage, next: Message | undefined): void {
  const parts = portableParts(content.filter((part) => !isForeign(part)))
  if (parts.length === 0) return
  if (carried.length === 0) carried.push(userMessage('[The conversation begins with the assistant.]'))
  const before = carried.at(-1)
  if (before?.role === 'assistant')
    carried[carried.length - 1] = { role: 'assistant', content: [...before.content, ...parts] }
  else carried.push({ role: 'assistant', content: parts })
  const calls = parts.filter((part) => part.type === 'tool-call')
  if (calls.length === 0) return
  const given = new Map((next?.role === 'tool' ? resultsOf(next) : []).map((part) => [part.toolCallId, part]))
  carried.push({
    role: 'tool',
    content: calls.map(({ toolCallId, toolName }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: given.get(toolCallId)?.output ?? NO_RESULT,
    })),
  })
}

function resultsOf({ content }: ToolMessage): readonly ToolResultPart[] {
  return content.filter((part) => part.type === 'tool-result')
}

/** Returns true for parts that only their provider can read: reasoning, and calls that it executed itself. */
function isForeign(part: AssistantMessage['content'][number]): boolean {
  if (part.type === 'tool-call') return part.providerExecuted === true
  return part.type !== 'text' && part.type !== 'file'
}

/** Removes provider data, and texts that are blank, which providers reject. */
export function portableParts<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    if ('text' in part && typeof part.text === 'string' && part.text.trim() === '') return []
    if (!('providerOptions' in part)) return [part]
    const { providerOptions: _, ...rest } = part
    return [rest as Part]
  })
}

/** Creates the placeholder for a missing answer. */
export function assistantNote(reason?: string): AssistantMessage {
  const text = `[There was no answer${reason === undefined ? '' : `: ${reason}`}.]`
  return { role: 'assistant', content: [{ type: 'text', text }] }
}
