import type { RunEvent, RunReport } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import type { OpenApproval } from '../person/open-questions.ts'
import type { ChatChunk } from './chat-chunk.ts'

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

type Event<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** Nothing was said. `newId` makes ids of parts. */
export function createChunkMapper(newId: () => string): ChunkMapper {
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  let isInStep = false
  // the last text of the agent
  let last = ''
  // calls that have no result yet, and those of them that are parts of the message
  const calls = new Map<string, CallHead>()
  const shown = new Set<string>()
  // the calls that wait for a decision
  const asked = new Map<string, CallHead>()

  function hush(): readonly ChatChunk[] {
    if (open === undefined) return []
    const { kind, id } = open
    open = undefined
    return [{ type: `${kind}-end`, id }]
  }

  function say(kind: 'text' | 'reasoning', delta: string): readonly ChatChunk[] {
    if (delta === '') return []
    const before: ChatChunk[] = [...step()]
    if (open?.kind !== kind) {
      before.push(...hush())
      open = { kind, id: newId() }
      before.push({ type: `${kind}-start`, id: open.id })
      if (kind === 'text') last = ''
    }
    if (kind === 'text') last += delta
    return [...before, { type: `${kind}-delta`, id: open.id, delta }]
  }

  function step(): readonly ChatChunk[] {
    if (isInStep) return []
    isInStep = true
    return [{ type: 'start-step' }]
  }

  function endStep(): readonly ChatChunk[] {
    if (!isInStep) return hush()
    const chunks = [...hush(), { type: 'finish-step' }]
    isInStep = false
    return chunks
  }

  function call(event: Event<'tool-call'>): readonly ChatChunk[] {
    return [...step(), ...hush(), ...show(callHead(event))]
  }

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

  function result(event: Event<'tool-result'>): readonly ChatChunk[] {
    const toolCallId = eventCorrelation(event) ?? ''
    const head = calls.get(toolCallId)
    if (head === undefined) return []
    const part = show(head)
    calls.delete(toolCallId)
    const flags = { toolCallId, dynamic: true, providerExecuted: true }
    const text = contentText(event.content)
    if (event.outcome === 'denied') return [...part, { type: 'tool-output-denied', toolCallId }]
    return event.error === undefined
      ? [...part, { type: 'tool-output-available', ...flags, output: text }]
      : [...part, { type: 'tool-output-error', ...flags, errorText: text }]
  }

  function readRoot(event: RunEvent): readonly ChatChunk[] {
    switch (event.type) {
      case 'turn-start':
        return step()
      case 'text-delta':
        return say('text', event.text)
      case 'reasoning-delta':
        return say('reasoning', event.text)
      case 'text-end':
        return open?.kind === 'text' ? hush() : [...say('text', event.text), ...hush()]
      case 'model-retry':
      case 'model-fallback':
        // what was said comes again
        return isInStep ? [...hush(), { type: 'reset-step' }] : []
      case 'tool-call':
        return call(event)
      case 'turn-end':
        return endStep()
      default:
        return []
    }
  }

  return {
    read(event) {
      const told: readonly ChatChunk[] = isRoot(event) ? readRoot(event) : childPart(event)
      if (event.type === 'approval-request') asked.set(event.approvalId, callHead(event))
      const answered = event.type === 'tool-result' ? result(event) : []
      return [...told, ...answered, { type: 'data-event', data: event, transient: true }]
    },
    ask({ id: approvalId, reason }) {
      const head = asked.get(approvalId)
      if (head === undefined) return []
      const why = reason === undefined ? {} : { reason }
      const { toolCallId } = head
      return [...step(), ...show(head), { type: 'tool-approval-request', approvalId, toolCallId, ...why }]
    },
    turnPage: () => shown.clear(),
    close: endStep,
    complete({ output: { text = '' } }) {
      const missing = text === last ? [] : say('text', text)
      return [...missing, ...endStep()]
    },
  }
}

/** A call as a part of a message. */
interface CallHead {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

function callHead(event: Event<'tool-call' | 'approval-request'>): CallHead {
  const { toolName, agent, args: input } = event
  const toolCallId = eventCorrelation(event) ?? event.runId
  return { toolCallId, toolName: isRoot(event) ? toolName : `${agent}: ${toolName}`, input }
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
