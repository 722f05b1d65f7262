import type { Failure } from '../errors/errors.ts'
import type { EventDraft, EventPayloads, EventType } from '../events/event.ts'

type Transient = 'text-start' | 'text-delta' | 'text-end' | 'reasoning-delta' | 'tool-progress' | 'log'

/**
 * One entry per durable event type, so that the compiler reports a new type until its texts are considered
 * here.
 */
type BlankTexts = {
  readonly [T in Exclude<EventType, Transient>]:
    | ((payload: EventPayloads[T]) => Partial<EventPayloads[T]>)
    | undefined
}

/**
 * Functions that blank the texts of people, models, tools and agents, by event type. `undefined` if the type
 * has no such texts.
 */
const BLANK_TEXTS: BlankTexts = {
  'run-start': () => ({ input: '' }),
  'turn-start': undefined,
  'tool-queued': undefined,
  'tool-call': () => ({ args: {} }),
  'tool-start': undefined,
  'tool-result': ({ error }) => ({ content: [], ...withoutMessage(error) }),
  'approval-request': ({ reason, asks }) => ({
    args: {},
    ...(asks === undefined ? {} : { asks: { question: '' } }),
    ...(reason === undefined ? {} : { reason: '' }),
  }),
  'approval-result': ({ reason, answer, values }) => ({
    ...(reason === undefined ? {} : { reason: '' }),
    ...(answer === undefined ? {} : { answer: '' }),
    ...(values === undefined ? {} : { values: {} }),
  }),
  'model-retry': () => ({ message: '' }),
  'model-fallback': undefined,
  usage: ({ error, partialText }) => ({
    ...withoutMessage(error),
    ...(partialText === undefined ? {} : { partialText: '' }),
  }),
  budget: undefined,
  'context-shortened': ({ summary }) => (summary === undefined ? {} : { summary: '' }),
  'run-waiting': undefined,
  warning: () => ({ message: '' }),
  'turn-end': undefined,
  'run-end': ({ output, error, problems }) => ({
    output: { format: output.format },
    ...withoutMessage(error),
    ...(problems === undefined ? {} : { problems: problems.map((problem) => ({ ...problem, message: '' })) }),
  }),
}

/**
 * Reduces an event to what is persisted with `store: metadata`: agents, times, costs and outcomes, but no
 * texts.
 */
export function metadataEvent<T extends EventDraft>(event: T): T {
  const blanks: Readonly<Record<string, unknown>> = BLANK_TEXTS
  const blank = blanks[event.type] as ((payload: EventDraft) => Partial<EventDraft>) | undefined
  return blank === undefined ? event : { ...event, ...blank(event) }
}

function withoutMessage(error: Failure | undefined): { readonly error?: Failure } {
  return error === undefined ? {} : { error: { ...error, message: '', remediation: '' } }
}
