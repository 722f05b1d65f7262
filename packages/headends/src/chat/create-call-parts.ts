import type { RunEvent } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import type { OpenApproval } from '../person/open-questions.ts'
import type { ChatChunk } from './chat-chunk.ts'

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** Calls as parts of a message: those of the agent, and those of its children that a person is asked about. */
export interface CallParts {
  call(event: Event<'tool-call'>): readonly ChatChunk[]
  /** Nothing, where the call is no part. */
  result(event: Event<'tool-result'>): readonly ChatChunk[]
  /** Notes that a call asks: what comes of it is told by `ask`. */
  note(event: Event<'approval-request'>): void
  /** Asks for a decision on a call that was noted. One of a child becomes a part, so that a person can decide on it. */
  ask(question: OpenApproval): readonly ChatChunk[]
  /** What comes is for another message. */
  turnPage(): void
}

/** A call as a part of a message. */
interface CallHead {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** No calls yet. */
export function createCallParts(): CallParts {
  // calls that have no result yet, and those of them that are parts of the message
  const calls = new Map<string, CallHead>()
  const shown = new Set<string>()
  // the calls that wait for a decision
  const asked = new Map<string, CallHead>()

  /** Makes a call a part, where it is none. */
  function show(head: CallHead): readonly ChatChunk[] {
    const { toolCallId, toolName, input } = head
    calls.set(toolCallId, head)
    if (shown.has(toolCallId)) return []
    shown.add(toolCallId)
    const flags = { dynamic: true, providerExecuted: true }
    return [
      { type: 'tool-input-start', toolCallId, toolName, ...flags },
      { type: 'tool-input-available', toolCallId, toolName, input, ...flags },
    ]
  }

  return {
    call: (event) => show(callHead(event)),
    result(event) {
      const toolCallId = eventCorrelation(event) ?? ''
      const head = calls.get(toolCallId)
      if (head === undefined) return []
      const part = show(head)
      calls.delete(toolCallId)
      return [...part, resultChunk(event, toolCallId)]
    },
    note: (event) => void asked.set(event.approvalId, callHead(event)),
    ask({ id: approvalId, reason }) {
      const head = asked.get(approvalId)
      if (head === undefined) return []
      const why = reason === undefined ? {} : { reason }
      return [
        ...show(head),
        { type: 'tool-approval-request', approvalId, toolCallId: head.toolCallId, ...why },
      ]
    },
    turnPage: () => shown.clear(),
  }
}

function resultChunk({ outcome, content, error }: Event<'tool-result'>, toolCallId: string): ChatChunk {
  if (outcome === 'denied') return { type: 'tool-output-denied', toolCallId }
  const flags = { toolCallId, dynamic: true, providerExecuted: true }
  const text = contentText(content)
  return error === undefined
    ? { type: 'tool-output-available', ...flags, output: text }
    : { type: 'tool-output-error', ...flags, errorText: text }
}

function callHead(event: Event<'tool-call' | 'approval-request'>): CallHead {
  const { toolName, agent, args: input, runId, rootRunId } = event
  const toolCallId = eventCorrelation(event) ?? runId
  return { toolCallId, toolName: runId === rootRunId ? toolName : `${agent}: ${toolName}`, input }
}
