import {
  hasAnswer,
  messageText,
  troupeError,
  type Json,
  type JsonObject,
  type Message,
  type RunEvent,
} from '@troupe/schema'
import type { RunLabel } from '@troupe/schema/ports'
import { redactCase, unredactedParts } from './redact-case.ts'
import { toolStubs } from './tool-stubs.ts'

/** A stored run to make a case of. */
export interface CaseSource {
  /** All events of the run tree, in order. */
  readonly events: readonly RunEvent[]
  /** Messages of the conversation before the run. */
  readonly history?: readonly Message[]
  readonly label?: RunLabel
}

/** A case that was made of a run. `addCase` gives it an id that is not used yet. */
export interface DraftCase {
  /** Name of the agent of the run. */
  readonly agent: string
  /** Id for the case if the file has none of this name. */
  readonly id: string
  /** The keys of the case except its id. */
  readonly content: JsonObject
}

type CaseStart = Extract<RunEvent, { readonly type: 'run-start' }>
type CaseEnd = Extract<RunEvent, { readonly type: 'run-end' }>

/** Longest text of an answer that a check compares. */
const MAX_EXPECTED = 200
const MIN_EXPECTED = 3

/**
 * Makes a case of a run that has ended: its input or conversation, the results of its tools as stubs, and as a
 * starting point a check on its answer. The check is negated if the run is labelled with thumbs down. Every text
 * is redacted. Throws `usage_invalid` if the run has not ended, or if only its metadata is stored.
 */
export function caseFromRun({ events, history = [], label }: CaseSource): DraftCase {
  const [start] = events
  const end = events.at(-1)
  if (start?.type !== 'run-start' || end?.type !== 'run-end' || end.runId !== start.rootRunId)
    throw troupeError('usage_invalid', 'The run has not ended, so it has no answer to check.', {
      fix: 'Wait for the run, or finish it with `troupe run --resume`.',
    })
  const input = redactCase(start.input)
  if (input.trim() === '')
    throw troupeError('usage_invalid', 'Only metadata of the run is stored, so its input is not known.', {
      fix: 'Set `store: full` in the card of its agent, and run it again.',
    })
  const messages = earlierMessages(history)
  const stubs = toolStubs(events)
  return {
    agent: start.agent,
    id: idOf(input, start.runId),
    content: {
      description: descriptionOf(start, label),
      ...(messages.length === 0 ? { input } : { messages: [...messages, { role: 'user', text: input }] }),
      ...(Object.keys(stubs).length === 0 ? {} : { stubs: { tools: stubs } }),
      assert: [checkOf(end, label)],
    },
  }
}

function descriptionOf({ runId }: CaseStart, label: RunLabel | undefined): string {
  const note = label?.note === undefined ? '' : `: ${redactCase(label.note).replaceAll(/\s+/gu, ' ').trim()}`
  return label === undefined ? `From ${runId}.` : `From ${runId}, labelled ${label.value}${note}`
}

/** Returns the texts of the user and the assistant before the run. */
function earlierMessages(history: readonly Message[]): readonly JsonObject[] {
  return history.flatMap((message) => {
    const text = redactCase(messageText(message))
    const isShown = message.role === 'user' || message.role === 'assistant'
    return isShown && text !== '' ? [{ role: message.role, text }] : []
  })
}

/** Returns a check on the answer, or that the run had no problems if there is nothing to compare. */
function checkOf({ outcome, output }: CaseEnd, label: RunLabel | undefined): Json {
  const not = label?.value === 'down' ? 'not-' : ''
  if (!hasAnswer(outcome)) return 'no-problems'
  const { format, value } = output
  if (format === 'json' && value !== undefined) {
    const expected = redactCase(value)
    const isWhole = JSON.stringify(expected) === JSON.stringify(value)
    return isWhole && JSON.stringify(value).length <= MAX_EXPECTED
      ? { [`${not}equals`]: value }
      : 'no-problems'
  }
  const text = longestPart(redactCase(output.text ?? ''))
  return text.length < MIN_EXPECTED ? 'no-problems' : { [`${not}contains`]: text }
}

/** Returns the longest line without redacted text, cut after a whole word. */
function longestPart(text: string): string {
  const parts = text
    .split('\n')
    .flatMap(unredactedParts)
    .map((part) => part.trim())
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '')
  if (longest.length <= MAX_EXPECTED) return longest
  const cut = longest.slice(0, MAX_EXPECTED)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), MAX_EXPECTED / 2)).trim()
}

const MAX_ID_WORDS = 6
const MAX_ID = 60

/** Returns an id of the first words of the input, or the id of the run if they have no Latin letters. */
function idOf(input: string, runId: string): string {
  const words = unredactedParts(input)
    .join(' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/gu)
  const id = (words ?? []).slice(0, MAX_ID_WORDS).join('-').slice(0, MAX_ID)
  return id === '' ? runId.replaceAll(/[^\w.:/-]/gu, '-').slice(0, MAX_ID) : id
}
