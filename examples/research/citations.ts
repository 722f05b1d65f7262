import { messageText, type LoopHookContext, type Message } from '@troupe/schema'

interface Answer {
  readonly citations: readonly { readonly source: string; readonly quote: string }[]
}

type MessagePart = Exclude<Message['content'], string>[number]

/** Fails a run whose answer cites a source that it has not read, or a quote that is not in the source. */
export function checkCitations({ history }: LoopHookContext, outcome: string): void {
  if (outcome !== 'completed' && outcome !== 'partial') return
  const answer = history.findLast(({ role }) => role === 'assistant')
  if (answer === undefined) throw new Error('There is no answer.')
  const { citations } = JSON.parse(messageText(answer)) as Answer
  for (const { source, quote } of citations) {
    const texts = textsRead(history, source)
    if (texts.length === 0) throw new Error(`${source} is cited, but was not read.`)
    if (!texts.some((text) => oneLine(text).includes(oneLine(quote))))
      throw new Error(`${source} does not contain the quote "${quote}".`)
  }
}

/** Returns the results of the calls that have read a source. */
function textsRead(history: readonly Message[], source: string): readonly string[] {
  const parts = history.flatMap<MessagePart>(({ content }) => (typeof content === 'string' ? [] : content))
  const calls = new Set(
    parts.flatMap((part) => {
      if (part.type !== 'tool-call') return []
      const { path, url } = part.input as { readonly path?: unknown; readonly url?: unknown }
      return path === source || url === source ? [part.toolCallId] : []
    }),
  )
  return parts.flatMap((part) => {
    if (part.type !== 'tool-result' || !calls.has(part.toolCallId)) return []
    return part.output.type === 'text' ? [part.output.value] : []
  })
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ')
