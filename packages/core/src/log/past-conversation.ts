import {
  userMessage,
  NO_PROBLEMS,
  type EventPayloads,
  type Json,
  type Message,
  type AssistantMessage,
  type ToolMessage,
  type ToolResultPart,
} from '@troupe/schema'
import { inputMessage, type RunTreeContext, type RunRequest, type RunResult } from '@troupe/schema/ports'
import { createJournal, type Journal } from './resume-state.ts'
import {
  guardedAnswerText,
  guardStep,
  toolPart,
  withAnswerText,
  type RecordedAnswer,
  type RecordedResult,
  type RecordedVerdict,
} from './recorded-steps.ts'
import { withRequestTexts } from './request-texts.ts'

/** Restores the conversation of a root run from its stored steps, for the next run of its session. */
export function pastConversation(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RunTreeContext, 'redactor'>,
): readonly Message[] {
  const journal = createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor })
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  const passed = requestAfterGuards(journal, request)
  if (passed === undefined) return []
  const messages =
    request.composed === true ? compositionMessages(passed, end) : pastMessages(journal, request)
  return carriedMessages(messages, end?.error?.code)
}

/** Returns the input and the answer of a composition, without its internal model calls. */
function compositionMessages(
  { input, attachments }: Pick<RunRequest, 'input' | 'attachments'>,
  end: EventPayloads['run-end'] | undefined,
): readonly Message[] {
  const text = end?.output.text ?? ''
  return [inputMessage(input, attachments), { role: 'assistant', content: [{ type: 'text', text }] }]
}

/** Returns the request of a stored run as its guards let it pass, or `undefined` if they denied it. */
export function passedRequest(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RunTreeContext, 'redactor'>,
): RunRequest | undefined {
  return requestAfterGuards(
    createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor }),
    request,
  )
}

function requestAfterGuards(journal: Journal, request: RunRequest): RunRequest | undefined {
  const isDenied = (verdict: RecordedVerdict | undefined): boolean => verdict?.denied !== undefined
  const byRules = recordedVerdict(journal, 'input')
  if (isDenied(byRules) || isDenied(recordedVerdict(journal, 'input-agents'))) return undefined
  return byRules?.texts === undefined ? request : withRequestTexts(request, byRules.texts)
}

function recordedVerdict(journal: Journal, key: string): RecordedVerdict | undefined {
  return journal.step(guardStep(key)) as RecordedVerdict | undefined
}

/** Returns an answer as its guards let it pass, or `undefined` if they denied it. */
function passedAnswer(journal: Journal, turn: number): RecordedAnswer | undefined {
  const answer = journal.step(`llm:${turn}`) as RecordedAnswer | undefined
  const { denied, texts } = recordedVerdict(journal, String(turn)) ?? {}
  if (answer === undefined || denied !== undefined) return undefined
  if (texts === undefined) return answer
  return { ...answer, content: withAnswerText(answer.content, guardedAnswerText(texts)) }
}

/** Restores the conversation of a run from its stored steps, without what its guards denied or removed. */
function pastMessages(journal: Journal, request: RunRequest): readonly Message[] {
  const passed = requestAfterGuards(journal, request)
  if (passed === undefined) return []
  const messages: Message[] = [inputMessage(passed.input, passed.attachments)]
  for (let turn = 1; ; turn += 1) {
    const answer = passedAnswer(journal, turn)
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

/** Returns the result of a run from its stored steps, or `undefined` if the run has not ended. */
export function storedResult(
  steps: ReadonlyMap<string, Json>,
  { request, redactor }: { readonly request: RunRequest } & Pick<RunTreeContext, 'redactor'>,
): RunResult | undefined {
  return pastResult(createJournal({ steps, events: [] }, redactor === undefined ? {} : { redactor }), request)
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
    ...(output.files === undefined ? {} : { files: output.files }),
    ...(output.citations === undefined ? {} : { citations: output.citations }),
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

/** Result of a call that had none when its run ended. */
const NO_RESULT: ToolResultPart['output'] = Object.freeze({
  type: 'error-text',
  value: 'The run ended before this call completed.',
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
  const results = new Map(
    (next?.role === 'tool' ? resultsOf(next) : []).map((part) => [part.toolCallId, part]),
  )
  carried.push({
    role: 'tool',
    content: calls.map(({ toolCallId, toolName }) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: results.get(toolCallId)?.output ?? NO_RESULT,
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
function portableParts<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    if ('text' in part && typeof part.text === 'string' && part.text.trim() === '') return []
    if (!('providerOptions' in part)) return [part]
    const { providerOptions: _, ...rest } = part
    return [rest as Part]
  })
}

/** Creates the placeholder for a missing answer. */
function assistantNote(reason?: string): AssistantMessage {
  const text = `[There was no answer${reason === undefined ? '' : `: ${reason}`}.]`
  return { role: 'assistant', content: [{ type: 'text', text }] }
}
