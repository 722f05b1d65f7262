import type { RunEvent, RunReport } from '@troupe/schema'

/** A mapper from the texts and reasoning of agents to AG-UI messages. */
export interface MessageMapper {
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
export function createMessageMapper(newId: () => string): MessageMapper {
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
      const whole = isOpen ? [] : mapper.append(source, { kind: 'text', text })
      return [...whole, ...mapper.close(source.runId)]
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
