import type { RunEvent } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import type { OpenApproval } from '../person/open-questions.ts'
import type { ChatChunk } from './chat-chunk.ts'

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/**
 * A mapper from tool calls to message parts: those of the agent, and those of its children that need an
 * approval.
 */
export interface CallParts {
  call(event: Event<'tool-call'>): readonly ChatChunk[]
  /** Returns nothing if the call is not a part of a message. */
  result(event: Event<'tool-result'>): readonly ChatChunk[]
  /** Remembers a call that needs an approval, for `ask`. */
  note(event: Event<'approval-request'>): void
  /**
   * Requests a decision on a remembered call. A child's call is added as a part first, so that a person can
   * decide on it.
   */
  ask(question: OpenApproval): readonly ChatChunk[]
  /** Starts a new message. */
  turnPage(): void
}

/** A tool call as a part of a message. */
interface CallHead {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** Creates a mapper without calls. */
export function createCallParts(): CallParts {
  // Calls without a result, and the ids of calls that are parts of the message.
  const calls = new Map<string, CallHead>()
  const shown = new Set<string>()
  // Calls that wait for a decision, by approval id.
  const asked = new Map<string, CallHead>()

  /** Adds a call to the message unless it is a part of it already. */
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
