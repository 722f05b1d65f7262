import type { RunEvent, RunReport } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import { toClientCall } from '../client-calls/collect-answer.ts'

/**
 * A mapper from the events of a run tree to AG-UI events. It closes everything that it opens, even if a run
 * is cut short.
 */
export interface EventMapper {
  read(event: RunEvent): readonly AguiEvent[]
  /** Suspends the subagents while the run waits for a person. */
  suspend(): readonly AguiEvent[]
  /** Returns the start events of the suspended subagents. */
  resume(): readonly AguiEvent[]
  /** Closes what is open and adds the answer if it was not sent yet. */
  end(report: RunReport | undefined): readonly AguiEvent[]
}

type AguiSourceEvent<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** Creates an event mapper. `newId` creates message ids. */
export function createEventMapper(newId: () => string): EventMapper {
  const messages = createMessageMapper(newId)
  // Start events of the active child runs, by run id.
  const subagents = new Map<string, AguiEvent>()

  function startChild(event: AguiSourceEvent<'run-start'>): readonly AguiEvent[] {
    if (isRoot(event)) return []
    const isNested = event.parentRunId !== undefined && event.parentRunId !== event.rootRunId
    const call = eventCorrelation(event)
    const started: AguiEvent = {
      type: 'SUBAGENT_STARTED',
      subagentRunId: event.runId,
      name: event.agent,
      ...(isNested ? { parentSubagentRunId: event.parentRunId } : {}),
      ...(call === undefined ? {} : { parentToolCallId: call }),
    }
    subagents.set(event.runId, started)
    return [started]
  }

  function endChild(event: AguiSourceEvent<'run-end'>): readonly AguiEvent[] {
    if (isRoot(event)) return []
    subagents.delete(event.runId)
    const { runId: subagentRunId, outcome, output, error } = event
    if (error !== undefined && outcome !== 'partial')
      return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: error.message, code: error.code }]
    const result = output.value ?? output.text ?? ''
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result, outcome: { type: 'success' } }]
  }

  return {
    read(event) {
      switch (event.type) {
        case 'run-start':
          return startChild(event)
        case 'text-delta':
          return messages.append(event, { kind: 'text', text: event.text })
        case 'reasoning-delta':
          return messages.append(event, { kind: 'reasoning', text: event.text })
        case 'text-end':
          return messages.finish(event, event.text)
        case 'model-retry':
        case 'model-fallback':
        case 'turn-end':
          return messages.close(event.runId)
        case 'tool-call':
          // a call of the client's tools goes out once the run waits for it
          return [...messages.close(event.runId), ...(event.source === 'client' ? [] : toolCall(event))]
        case 'approval-request':
          return event.client === true ? clientCall(event) : []
        case 'tool-result':
          return event.source === 'client' ? [] : toolResult(event)
        case 'run-end':
          return [...messages.close(event.runId), ...endChild(event)]
        default:
          return []
      }
    },
    suspend() {
      const suspended = [...subagents.keys()].toReversed().map((subagentRunId): AguiEvent => ({
        type: 'SUBAGENT_FINISHED',
        subagentRunId,
        outcome: { type: 'suspended' },
      }))
      return [...messages.closeAll(), ...suspended]
    },
    resume: () => [...subagents.values()],
    end(report) {
      const open = [...subagents.keys()].toReversed().map((subagentRunId): AguiEvent => ({
        type: 'SUBAGENT_ERROR',
        subagentRunId,
        message: 'The subagent was interrupted.',
        code: 'run_cancelled',
      }))
      subagents.clear()
      return [...messages.closeAll(), ...open, ...(report === undefined ? [] : messages.complete(report))]
    },
  }
}

function toolCall(event: AguiSourceEvent<'tool-call'>): readonly AguiEvent[] {
  const toolCallId = eventCorrelation(event)
  const by = attribution(event)
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: event.toolName, ...by },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(event.args), ...by },
    { type: 'TOOL_CALL_END', toolCallId, ...by },
  ]
}

function clientCall(event: AguiSourceEvent<'approval-request'>): readonly AguiEvent[] {
  const { id: toolCallId, name, args } = toClientCall(event)
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: name },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args) },
    { type: 'TOOL_CALL_END', toolCallId },
  ]
}

function toolResult(event: AguiSourceEvent<'tool-result'>): readonly AguiEvent[] {
  const toolCallId = eventCorrelation(event)
  const messageId = `${toolCallId}:result`
  const content = contentText(event.content)
  return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content, ...attribution(event) }]
}

/** Returns the subagent of an event; empty for the root run. */
function attribution(event: Pick<RunEvent, 'runId' | 'rootRunId'>): { readonly subagentRunId?: string } {
  return isRoot(event) ? {} : { subagentRunId: event.runId }
}

function isRoot({ runId, rootRunId }: Pick<RunEvent, 'runId' | 'rootRunId'>): boolean {
  return runId === rootRunId
}

/** A mapper from the texts and reasoning of agents to AG-UI messages. */
interface MessageMapper {
  /** Adds a piece of text. Opens a message if none of its kind is open. */
  append(
    by: MessageSource,
    piece: { readonly kind: 'text' | 'reasoning'; readonly text: string },
  ): readonly AguiEvent[]
  /** Ends a text. Sends `text` as a whole if it did not arrive in pieces. */
  finish(by: MessageSource, text: string): readonly AguiEvent[]
  /** Closes the open message of a run. */
  close(runId: string): readonly AguiEvent[]
  closeAll(): readonly AguiEvent[]
  /** Sends the answer unless it was the last text. */
  complete(report: Pick<RunReport, 'output'>): readonly AguiEvent[]
}

/** The run that a text belongs to. */
type MessageSource = Pick<RunEvent, 'runId' | 'rootRunId'>

interface OpenMessage {
  readonly kind: 'text' | 'reasoning'
  readonly messageId: string
  readonly by: { readonly subagentRunId?: string }
}

/** Creates a mapper without open messages. */
function createMessageMapper(newId: () => string): MessageMapper {
  const open = new Map<string, OpenMessage>()
  // Last text of the root run.
  let last = ''

  function begin({ runId, rootRunId }: MessageSource, kind: OpenMessage['kind']): readonly AguiEvent[] {
    const by = runId === rootRunId ? {} : { subagentRunId: runId }
    const messageId = newId()
    open.set(runId, { kind, messageId, by })
    if (kind === 'text') {
      if (runId === rootRunId) last = ''
      return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...by }]
    }
    return [
      { type: 'REASONING_START', messageId, ...by },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...by },
    ]
  }

  const mapper: MessageMapper = {
    append(source, { kind, text }) {
      if (text === '') return []
      const isOther = open.get(source.runId)?.kind !== kind
      const before = isOther ? [...mapper.close(source.runId), ...begin(source, kind)] : []
      const message = open.get(source.runId)
      if (kind === 'text' && source.runId === source.rootRunId) last += text
      const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
      return [...before, { type, messageId: message?.messageId, delta: text, ...message?.by }]
    },
    finish(source, text) {
      const isOpen = open.get(source.runId)?.kind === 'text'
      const chunks = isOpen ? [] : mapper.append(source, { kind: 'text', text })
      return [...chunks, ...mapper.close(source.runId)]
    },
    close(runId) {
      const message = open.get(runId)
      if (message === undefined) return []
      open.delete(runId)
      const { kind, messageId, by } = message
      if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId, ...by }]
      return [
        { type: 'REASONING_MESSAGE_END', messageId, ...by },
        { type: 'REASONING_END', messageId, ...by },
      ]
    },
    closeAll: () => [...open.keys()].flatMap((runId) => mapper.close(runId)),
    complete({ output: { text = '' } }) {
      if (text === '' || text === last) return []
      const root = { runId: '', rootRunId: '' }
      return [...mapper.append(root, { kind: 'text', text }), ...mapper.close('')]
    },
  }
  return mapper
}

/** An event of AG-UI 1.0. */
export interface AguiEvent {
  /** Event type, such as `TEXT_MESSAGE_START`. */
  readonly type: string
  readonly [field: string]: unknown
}
