import { hasAnswer, type RunEvent } from '@troupe/schema'
import { reduceByRun } from './reduce-by-run.ts'

/** An entry in the transcript of a run. */
export type TranscriptItem =
  | { readonly kind: 'text'; readonly turn: number; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: 'reasoning'; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: 'call'; readonly turn: number; readonly callId: string }
  | { readonly kind: 'note'; readonly tone: 'plain' | 'warn'; readonly text: string }

/** The output and the tool calls of a run, in order. */
type Transcript = readonly TranscriptItem[]

/** The transcripts of all runs, by run id. */
export type Transcripts = ReadonlyMap<string, Transcript>

/**
 * Returns the transcripts after more events. Pure. Text events are not persisted, so an ended run may only
 * have its last text. A turn whose text is not known has an empty one.
 */
export function reduceTranscripts(transcripts: Transcripts, events: readonly RunEvent[]): Transcripts {
  return reduceByRun(transcripts, events, { none: [], reduce: reduceTranscript })
}

function reduceTranscript(transcript: Transcript, event: RunEvent): Transcript {
  switch (event.type) {
    case 'text-start':
      return [...closeOpenItem(transcript), { kind: 'text', turn: event.turn, text: '', isOpen: true }]
    case 'text-delta':
      return addText(transcript, event.text)
    case 'text-end':
      return endText(transcript, event)
    case 'reasoning-delta':
      return addReasoning(transcript, event.text)
    case 'usage':
      return addMissingText(transcript, event)
    case 'tool-call':
      return addCall(closeOpenItem(transcript), { turn: event.turn, callId: event.callId ?? '' })
    case 'run-end':
      return endTranscript(closeOpenItem(transcript), event)
    default:
      return addNote(transcript, event)
  }
}

function addText(transcript: Transcript, text: string): Transcript {
  const last = transcript.at(-1)
  if (last?.kind === 'text' && last.isOpen) return withLast(transcript, { ...last, text: last.text + text })
  // The page connected in the middle of a block, so its start is missing.
  return [...closeOpenItem(transcript), { kind: 'text', turn: 0, text, isOpen: true }]
}

function endText(
  transcript: Transcript,
  { turn, text }: { readonly turn: number; readonly text: string },
): Transcript {
  const index = transcript.findLastIndex((item) => item.kind === 'text' && item.isOpen)
  const finished: TranscriptItem = { kind: 'text', turn, text, isOpen: false }
  return index === -1 ? [...transcript, finished] : transcript.with(index, finished)
}

function addReasoning(transcript: Transcript, text: string): Transcript {
  const last = transcript.at(-1)
  if (last?.kind === 'reasoning' && last.isOpen)
    return withLast(transcript, { ...last, text: last.text + text })
  return [...transcript, { kind: 'reasoning', text, isOpen: true }]
}

/** Adds an empty text if the model has answered and no text of the turn was received. Its calls follow. */
function addMissingText(
  transcript: Transcript,
  { turn, callId, error }: Extract<RunEvent, { readonly type: 'usage' }>,
): Transcript {
  if (error !== undefined || callId !== undefined) return transcript
  const last = transcript.at(-1)
  if (last?.kind === 'text' && last.turn === turn) return transcript
  return [...transcript, { kind: 'text', turn, text: '', isOpen: false }]
}

function addCall(
  transcript: Transcript,
  call: { readonly turn: number; readonly callId: string },
): Transcript {
  return transcript.some((item) => item.kind === 'call' && item.callId === call.callId)
    ? transcript
    : [...transcript, { kind: 'call', ...call }]
}

/**
 * Adds the output if the transcript does not have it. The output of a run without an answer is the last text of its
 * model, which the calls of that turn follow.
 */
function endTranscript(
  transcript: Transcript,
  { output, outcome }: Extract<RunEvent, { readonly type: 'run-end' }>,
): Transcript {
  const { text = '' } = output
  const known = transcript.filter((item) => item.kind === 'text').filter((item) => item.text !== '')
  const candidates = hasAnswer(outcome) ? known.slice(-1) : known
  if (text === '' || candidates.some((item) => item.text.trim() === text.trim())) return transcript
  const index = transcript.findLastIndex((item) => item.kind === 'text')
  const last = transcript[index]
  const calls = transcript.slice(index + 1).filter((item) => item.kind === 'call')
  if (
    last?.kind === 'text' &&
    last.text === '' &&
    calls.every(({ turn }) => !hasAnswer(outcome) && turn === last.turn)
  )
    return transcript.with(index, { ...last, text })
  return [...transcript, { kind: 'text', turn: 0, text, isOpen: false }]
}

function addNote(transcript: Transcript, event: RunEvent): Transcript {
  const note = noteOf(event)
  return note === undefined ? transcript : [...closeOpenItem(transcript), note]
}

function noteOf(event: RunEvent): TranscriptItem | undefined {
  switch (event.type) {
    case 'model-retry':
      return warn(`${event.model} failed (${event.code}); the next attempt is in ${event.delayMs} ms.`)
    case 'model-fallback':
      return warn(`${event.from} failed (${event.code}); continuing with ${event.to}.`)
    case 'context-shortened':
      return plain(`The conversation was shortened: ${event.tokensBefore} → ${event.tokensAfter} tokens.`)
    case 'warning':
      return warn(event.message)
    case 'approval-result':
      return plain(
        `${event.toolName} was ${event.decision}${event.reason === undefined ? '.' : `: ${event.reason}`}`,
      )
    default:
      return undefined
  }
}

function plain(text: string): TranscriptItem {
  return { kind: 'note', tone: 'plain', text }
}

function warn(text: string): TranscriptItem {
  return { kind: 'note', tone: 'warn', text }
}

function closeOpenItem(transcript: Transcript): Transcript {
  const last = transcript.at(-1)
  if (last === undefined || !('isOpen' in last) || !last.isOpen) return transcript
  return withLast(transcript, { ...last, isOpen: false })
}

function withLast(transcript: Transcript, item: TranscriptItem): Transcript {
  return [...transcript.slice(0, -1), item]
}
