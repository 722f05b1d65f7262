import type { Citation, RunEvent, RunReport } from '@troupe/schema'
import { eventCorrelation, contentText } from '@troupe/timeline'
import type { ApprovalQuestion } from '../human-input/run-questions.ts'

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
  /** Sends the answer unless it was the last text, and the pages that it cites. Closes what is open. */
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
      if (event.type === 'approval-request') calls.remember(event)
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
  const fields = { runId, agent, instance, parentRunId, depth, toolCallId: eventCorrelation(event) }
  if (event.type === 'run-start')
    return [{ type: 'data-child', id: runId, data: { ...fields, state: 'running', input: event.input } }]
  if (event.type !== 'run-end') return []
  const { outcome, output, error, usage, durationMs } = event
  const data = {
    ...fields,
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

type ToolCallEvent<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/**
 * A mapper from tool calls to message parts: those of the agent, and those of its children that need an
 * approval.
 */
interface ToolCallParts {
  call(event: ToolCallEvent<'tool-call'>): readonly ChatChunk[]
  /** Returns nothing if the call is not a part of a message. */
  result(event: ToolCallEvent<'tool-result'>): readonly ChatChunk[]
  /** Remembers a call that needs an approval, for `ask`. */
  remember(event: ToolCallEvent<'approval-request'>): void
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
function createToolCallParts(): ToolCallParts {
  // Calls without a result, and the ids of calls that are parts of the message.
  const calls = new Map<string, ToolCallPart>()
  const partIds = new Set<string>()
  // Calls that wait for a decision, by approval id.
  const pending = new Map<string, ToolCallPart>()

  /** Adds a call to the message unless it is a part of it already. */
  function addPart(part: ToolCallPart): readonly ChatChunk[] {
    const { toolCallId, toolName, input } = part
    calls.set(toolCallId, part)
    if (partIds.has(toolCallId)) return []
    partIds.add(toolCallId)
    const flags = { dynamic: true, providerExecuted: true }
    return [
      { type: 'tool-input-start', toolCallId, toolName, ...flags },
      { type: 'tool-input-available', toolCallId, toolName, input, ...flags },
    ]
  }

  return {
    call: (event) => addPart(toToolCallPart(event)),
    result(event) {
      const toolCallId = eventCorrelation(event) ?? ''
      const part = calls.get(toolCallId)
      if (part === undefined) return []
      const chunks = addPart(part)
      calls.delete(toolCallId)
      return [...chunks, resultChunk(event, toolCallId)]
    },
    remember: (event) => void pending.set(event.approvalId, toToolCallPart(event)),
    ask({ id: approvalId, reason }) {
      const part = pending.get(approvalId)
      if (part === undefined) return []
      const why = reason === undefined ? {} : { reason }
      return [
        ...addPart(part),
        { type: 'tool-approval-request', approvalId, toolCallId: part.toolCallId, ...why },
      ]
    },
    startMessage: () => partIds.clear(),
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

/** A mapper from the agent's texts and reasoning to steps and parts of a UI message. */
interface TextParts {
  /** Starts a step if none is open. */
  startStep(): readonly ChatChunk[]
  endStep(): readonly ChatChunk[]
  /** Discards the texts of the step, because the model call is repeated. */
  resetStep(): readonly ChatChunk[]
  /** Adds a piece of text. Opens a part if none of its kind is open. */
  append(kind: 'text' | 'reasoning', delta: string): readonly ChatChunk[]
  /** Closes the open part. */
  closePart(): readonly ChatChunk[]
  /** Ends a text. Sends `text` as a whole if it did not arrive in pieces. */
  finish(text: string): readonly ChatChunk[]
  /** Sends the answer unless it was the last text, and the pages that it cites. Closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Creates a mapper without open parts. `newId` creates part ids. */
function createTextParts(newId: () => string): TextParts {
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  let isInStep = false
  // Last text that was sent.
  let last = ''

  const parts: TextParts = {
    startStep() {
      if (isInStep) return []
      isInStep = true
      return [{ type: 'start-step' }]
    },
    endStep() {
      if (!isInStep) return parts.closePart()
      isInStep = false
      return [...parts.closePart(), { type: 'finish-step' }]
    },
    resetStep: () => (isInStep ? [...parts.closePart(), { type: 'reset-step' }] : []),
    append(kind, delta) {
      if (delta === '') return []
      const before: ChatChunk[] = [...parts.startStep()]
      if (open?.kind !== kind) {
        before.push(...parts.closePart())
        open = { kind, id: newId() }
        before.push({ type: `${kind}-start`, id: open.id })
        if (kind === 'text') last = ''
      }
      if (kind === 'text') last += delta
      return [...before, { type: `${kind}-delta`, id: open.id, delta }]
    },
    closePart() {
      if (open === undefined) return []
      const { kind, id } = open
      open = undefined
      return [{ type: `${kind}-end`, id }]
    },
    finish(text) {
      const chunks = open?.kind === 'text' ? [] : parts.append('text', text)
      return [...chunks, ...parts.closePart()]
    },
    complete({ output: { text = '', citations = [] } }) {
      const missing = text === last ? [] : parts.append('text', text)
      return [...missing, ...parts.closePart(), ...citedPages(citations, newId), ...parts.endStep()]
    },
  }
  return parts
}

/** Returns a part for each cited page. */
function citedPages(citations: readonly Citation[], newId: () => string): readonly ChatChunk[] {
  const pages = new Map(citations.map(({ url, title }) => [url, title]))
  return [...pages].map(([url, title]) => ({
    type: 'source-url',
    sourceId: newId(),
    url,
    ...(title === undefined ? {} : { title }),
  }))
}

/** A chunk of the AI SDK's UI message stream, version 1. */
export interface ChatChunk {
  /** Chunk type, such as `text-delta`. */
  readonly type: string
  readonly [field: string]: unknown
}
