import { inputMessage, userMessage, type Message, type RunRequest } from '@troupe/schema'
import type { Journal } from './journal.ts'
import type { RecordedAnswer } from './recall-answer.ts'
import type { RecordedResult } from './recall-result.ts'
import { toolPart } from '../calls/tool-part.ts'

/** Restores the conversation of a run from its stored steps. */
export function pastMessages(journal: Journal, request: RunRequest): readonly Message[] {
  const messages: Message[] = [inputMessage(request.input, request.attachments)]
  for (let turn = 1; ; turn += 1) {
    const answer = journal.step(`llm:${turn}`) as RecordedAnswer | undefined
    if (answer === undefined) return messages
    const question = journal.step(`ask:${turn}`)
    if (typeof question === 'string') messages.push(userMessage(question))
    messages.push({ role: 'assistant', content: answer.content })
    const calls = answer.content.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true)
    const results = calls.map(
      (_, index) => journal.step(`tool:${turn}.${index + 1}`) as RecordedResult | undefined,
    )
    const content = calls.flatMap((call, index) => {
      const result = results[index]
      return call.type !== 'tool-call' || result === undefined
        ? []
        : [toolPart({ toolUseId: call.toolCallId, wireName: call.toolName }, result)]
    })
    if (content.length > 0) messages.push({ role: 'tool', content })
    for (const result of results) messages.push(...(result?.merge ?? []))
  }
}
