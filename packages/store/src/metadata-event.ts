import type { EventDraft, EventPayloads, EventType, Failure } from '@troupe/schema'

type Blank = { readonly [T in EventType]?: (payload: EventPayloads[T]) => Partial<EventPayloads[T]> }

/** What takes the place of words in each kind of event: of the person, of models, of tools, of agents. */
const BLANK: Blank = {
  'run-start': () => ({ input: '' }),
  'tool-call': () => ({ args: {} }),
  'tool-result': ({ error }) => ({ content: [], ...withoutMessage(error) }),
  'approval-request': ({ reason }) => ({ args: {}, ...(reason === undefined ? {} : { reason: '' }) }),
  'approval-result': ({ reason }) => (reason === undefined ? {} : { reason: '' }),
  usage: ({ error, partialText }) => ({
    ...withoutMessage(error),
    ...(partialText === undefined ? {} : { partialText: '' }),
  }),
  'model-retry': () => ({ message: '' }),
  warning: () => ({ message: '' }),
  'run-end': ({ output, error }) => ({ output: { format: output.format }, ...withoutMessage(error) }),
}

/** The event as it is kept where a card says `store: metadata`: who, when, how long, at what cost, with what outcome, and no word of what was said. */
export function metadataEvent<T extends EventDraft>(event: T): T {
  const blank = BLANK[event.type] as ((payload: EventDraft) => Partial<EventDraft>) | undefined
  return blank === undefined ? event : { ...event, ...blank(event) }
}

function withoutMessage(error: Failure | undefined): { readonly error?: Failure } {
  return error === undefined ? {} : { error: { ...error, message: '' } }
}
