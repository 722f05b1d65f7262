import type { RunEvent } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import type { ApprovalQuestion } from '../human-input/run-questions.ts'
import type { ChatChunk } from './create-text-parts.ts'

type ToolCallEvent<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/**
 * A mapper from tool calls to message parts: those of the agent, and those of its children that need an
 * approval.
 */
export interface ToolCallParts {
  call(event: ToolCallEvent<'tool-call'>): readonly ChatChunk[]
  /** Returns nothing if the call is not a part of a message. */
  result(event: ToolCallEvent<'tool-result'>): readonly ChatChunk[]
  /** Remembers a call that needs an approval, for `ask`. */
  note(event: ToolCallEvent<'approval-request'>): void
  /**
   * Requests a decision on a remembered call. A child's call is added as a part first, so that a person can
   * decide on it.
   */
  ask(question: ApprovalQuestion): readonly ChatChunk[]
  /** Starts a new message. */
  startMessage(): void
}

/** A tool call as a part of a message. */
interface ToolCallPart {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** Creates a mapper without calls. */
export function createToolCallParts(): ToolCallParts {
  // Calls without a result, and the ids of calls that are parts of the message.
  const calls = new Map<string, ToolCallPart>()
  const shown = new Set<string>()
  // Calls that wait for a decision, by approval id.
  const pending = new Map<string, ToolCallPart>()

  /** Adds a call to the message unless it is a part of it already. */
  function show(head: ToolCallPart): readonly ChatChunk[] {
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
    call: (event) => show(toToolCallPart(event)),
    result(event) {
      const toolCallId = eventCorrelation(event) ?? ''
      const head = calls.get(toolCallId)
      if (head === undefined) return []
      const part = show(head)
      calls.delete(toolCallId)
      return [...part, resultChunk(event, toolCallId)]
    },
    note: (event) => void pending.set(event.approvalId, toToolCallPart(event)),
    ask({ id: approvalId, reason }) {
      const head = pending.get(approvalId)
      if (head === undefined) return []
      const why = reason === undefined ? {} : { reason }
      return [
        ...show(head),
        { type: 'tool-approval-request', approvalId, toolCallId: head.toolCallId, ...why },
      ]
    },
    startMessage: () => shown.clear(),
  }
}

function resultChunk(
  { outcome, content, error }: ToolCallEvent<'tool-result'>,
  toolCallId: string,
): ChatChunk {
  if (outcome === 'denied') return { type: 'tool-output-denied', toolCallId }
  const flags = { toolCallId, dynamic: true, providerExecuted: true }
  const text = contentText(content)
  return error === undefined
    ? { type: 'tool-output-available', ...flags, output: text }
    : { type: 'tool-output-error', ...flags, errorText: text }
}

function toToolCallPart(event: ToolCallEvent<'tool-call' | 'approval-request'>): ToolCallPart {
  const { toolName, agent, args: input, runId, rootRunId } = event
  const toolCallId = eventCorrelation(event) ?? runId
  return { toolCallId, toolName: runId === rootRunId ? toolName : `${agent}: ${toolName}`, input }
}
