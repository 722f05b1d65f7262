import type { Message } from '@troupe/schema'

/** Maximum characters of one tool result, or of the arguments of one call, in a transcript. */
const MOST_OF_A_PART = 2000

/**
 * Converts a conversation to plain text, so that it can be summarised without declaring tools. The middle is
 * left out if the text is longer than `max` characters.
 */
export function transcriptOf(messages: readonly Message[], max: number): string {
  const text = messages.map(messageLines).join('\n\n')
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const middle = text.length - 2 * half
  return `${text.slice(0, half)}\n[${middle} characters left out]\n${text.slice(-half)}`
}

function messageLines(message: Message): string {
  if (typeof message.content === 'string') return `${message.role}: ${message.content}`
  return message.content.flatMap((part) => partLine(message.role, part) ?? []).join('\n')
}

type TranscriptPart = Exclude<Message['content'], string>[number]

function partLine(role: Message['role'], part: TranscriptPart): string | undefined {
  switch (part.type) {
    case 'text':
      return `${role}: ${part.text}`
    case 'tool-call':
      return `${role} calls ${part.toolName}: ${short(JSON.stringify(part.input) ?? '')}`
    case 'tool-result':
      return `result of ${part.toolName}: ${short(outputText(part.output))}`
    case 'file':
      return `${role}: [a file of type ${part.mediaType}]`
    default:
      return undefined
  }
}

function outputText(output: Extract<TranscriptPart, { type: 'tool-result' }>['output']): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type === 'execution-denied') return output.reason ?? 'denied'
  if (output.type !== 'content') return JSON.stringify(output.value)
  return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
}

function short(text: string): string {
  if (text.length <= MOST_OF_A_PART) return text
  return `${text.slice(0, MOST_OF_A_PART)} [${text.length - MOST_OF_A_PART} characters left out]`
}
