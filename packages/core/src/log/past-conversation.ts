import {
  inputMessage,
  userMessage,
  NO_PROBLEMS,
  type EventPayloads,
  type Json,
  type Message,
  type RunTreeContext,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import { createJournal, type Journal } from './journal.ts'
import { carriedMessages } from './carried-messages.ts'
import type { RecordedAnswer } from './recorded-steps.ts'
import { toolPart, type RecordedResult } from './recorded-steps.ts'

/** Restores the conversation of a root run from its stored steps, for the next run of its session. */
export function pastConversation(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RunTreeContext, 'redactor'>,
): readonly Message[] {
  const journal = createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor })
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  const said = request.composed === true ? compositionMessages(request, end) : pastMessages(journal, request)
  return carriedMessages(said, end?.error?.code)
}

/** Returns the input and the answer of a composition, without its internal model calls. */
function compositionMessages(
  request: RunRequest,
  end: EventPayloads['run-end'] | undefined,
): readonly Message[] {
  const text = end?.output.text ?? ''
  return [
    inputMessage(request.input, request.attachments),
    { role: 'assistant', content: [{ type: 'text', text }] },
  ]
}

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

/**
 * Returns the result of a run that ended before its root run was interrupted, or `undefined`. Its usage and
 * problems are not counted here, because its parent has restored them.
 */
export function pastResult(journal: Journal, request: RunRequest): RunResult | undefined {
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  if (end === undefined) return undefined
  const { runId, agent } = request
  return { runId, agent: agent.name, ...resultFromEnd(end), messages: pastMessages(journal, request) }
}

/**
 * Converts a `run-end` event to a result. Events of earlier versions have neither `activeMs` nor problems.
 */
export function resultFromEnd(
  end: EventPayloads['run-end'],
): Omit<RunResult, 'runId' | 'agent' | 'messages'> {
  const { output, error } = end
  return {
    outcome: end.outcome,
    text: output.text ?? '',
    ...(output.value === undefined ? {} : { value: output.value }),
    ...(error === undefined ? {} : { failure: error }),
    usage: end.usage,
    byAgent: end.byAgent,
    unpriced: end.unpriced,
    problems: end.problems ?? NO_PROBLEMS.problems,
    problemCount: end.problemCount ?? 0,
    durationMs: end.durationMs,
    activeMs: end.activeMs ?? end.durationMs,
  }
}
