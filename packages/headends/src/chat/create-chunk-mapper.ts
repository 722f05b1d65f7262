import type { RunEvent, RunReport } from '@troupe/schema'
import { eventCorrelation } from '@troupe/timeline'
import type { OpenApproval } from '../person/open-questions.ts'
import type { ChatChunk } from './chat-chunk.ts'
import { createCallParts } from './create-call-parts.ts'
import { createChunkSpeech } from './create-chunk-speech.ts'

/** The events of one run as chunks of a UI message: what the agent says and calls as its parts, what its children do as data. */
export interface ChunkMapper {
  read(event: RunEvent): readonly ChatChunk[]
  /** Asks for a decision on a call. One of a child becomes a part, so that a person can decide on it. */
  ask(question: OpenApproval): readonly ChatChunk[]
  /** What comes is for another message. */
  turnPage(): void
  /** Closes what is open; the run rests or has ended. */
  close(): readonly ChatChunk[]
  /** Tells the answer, where it is not what was said last, and closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Nothing was said. `newId` makes ids of parts. */
export function createChunkMapper(newId: () => string): ChunkMapper {
  const speech = createChunkSpeech(newId)
  const calls = createCallParts()

  function readRoot(event: RunEvent): readonly ChatChunk[] {
    switch (event.type) {
      case 'turn-start':
        return speech.step()
      case 'text-delta':
        return speech.say('text', event.text)
      case 'reasoning-delta':
        return speech.say('reasoning', event.text)
      case 'text-end':
        return speech.finish(event.text)
      case 'model-retry':
      case 'model-fallback':
        return speech.resetStep()
      case 'tool-call':
        return [...speech.step(), ...speech.hush(), ...calls.call(event)]
      case 'turn-end':
        return speech.endStep()
      default:
        return []
    }
  }

  return {
    read(event) {
      const told: readonly ChatChunk[] = isRoot(event) ? readRoot(event) : childPart(event)
      if (event.type === 'approval-request') calls.note(event)
      const answered = event.type === 'tool-result' ? calls.result(event) : []
      return [...told, ...answered, { type: 'data-event', data: event, transient: true }]
    },
    ask(question) {
      const asked = calls.ask(question)
      return asked.length === 0 ? [] : [...speech.step(), ...asked]
    },
    turnPage: calls.turnPage,
    close: speech.endStep,
    complete: speech.complete,
  }
}

/** A child, as one part that is replaced when it has ended. */
function childPart(event: RunEvent): readonly ChatChunk[] {
  const { runId, agent, instance, parentRunId, depth } = event
  const head = { runId, agent, instance, parentRunId, depth, toolCallId: eventCorrelation(event) }
  if (event.type === 'run-start')
    return [{ type: 'data-child', id: runId, data: { ...head, state: 'running', input: event.input } }]
  if (event.type !== 'run-end') return []
  const { outcome, output, error, usage, durationMs } = event
  const data = {
    ...head,
    state: outcome,
    output,
    usage,
    durationMs,
    ...(error === undefined ? {} : { error }),
  }
  return [{ type: 'data-child', id: runId, data }]
}

function isRoot({ runId, rootRunId }: RunEvent): boolean {
  return runId === rootRunId
}
