import type { RunReport } from '@troupe/schema'

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
  /** Sends the answer unless it was the last text, and closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Creates a mapper without open parts. `newId` creates part ids. */
export function createTextParts(newId: () => string): TextParts {
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
    complete({ output: { text = '' } }) {
      const missing = text === last ? [] : parts.append('text', text)
      return [...missing, ...parts.endStep()]
    },
  }
  return parts
}

/** A chunk of the AI SDK's UI message stream, version 1. */
export interface ChatChunk {
  /** Chunk type, such as `text-delta`. */
  readonly type: string
  readonly [field: string]: unknown
}
