import type { RunEvent, RunReport } from '@troupe/schema'
import { eventCorrelation } from '@troupe/timeline'
import type { ApprovalQuestion } from '../human-input/run-questions.ts'
import { type ChatChunk, createTextParts } from './create-text-parts.ts'
import { createToolCallParts } from './create-tool-call-parts.ts'

/**
 * A mapper from the events of a run tree to chunks of a UI message: the agent's texts and tool calls as
 * parts, child runs as data.
 */
export interface ChunkMapper {
  read(event: RunEvent): readonly ChatChunk[]
  /**
   * Requests a decision on a call. A child's call is added as a part first, so that a person can decide on
   * it.
   */
  ask(question: ApprovalQuestion): readonly ChatChunk[]
  /** Starts a new message. */
  startMessage(): void
  /** Closes what is open when the run waits or has ended. */
  close(): readonly ChatChunk[]
  /** Sends the answer unless it was the last text, and closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Creates a chunk mapper. `newId` creates part ids. */
export function createChunkMapper(newId: () => string): ChunkMapper {
  const textParts = createTextParts(newId)
  const calls = createToolCallParts()

  function readRoot(event: RunEvent): readonly ChatChunk[] {
    switch (event.type) {
      case 'turn-start':
        return textParts.startStep()
      case 'text-delta':
        return textParts.append('text', event.text)
      case 'reasoning-delta':
        return textParts.append('reasoning', event.text)
      case 'text-end':
        return textParts.finish(event.text)
      case 'model-retry':
      case 'model-fallback':
        return textParts.resetStep()
      case 'tool-call':
        return [...textParts.startStep(), ...textParts.closePart(), ...calls.call(event)]
      case 'turn-end':
        return textParts.endStep()
      default:
        return []
    }
  }

  return {
    read(event) {
      const mapped: readonly ChatChunk[] = isRoot(event) ? readRoot(event) : childPart(event)
      if (event.type === 'approval-request') calls.note(event)
      const answered = event.type === 'tool-result' ? calls.result(event) : []
      return [...mapped, ...answered, { type: 'data-event', data: event, transient: true }]
    },
    ask(question) {
      const requested = calls.ask(question)
      return requested.length === 0 ? [] : [...textParts.startStep(), ...requested]
    },
    startMessage: calls.startMessage,
    close: textParts.endStep,
    complete: textParts.complete,
  }
}

/** Maps a child run to one part, which is replaced when the run has ended. */
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
