import type { RunReport } from '@troupe/schema'
import type { ChatChunk } from './chat-chunk.ts'

/** A mapper from the agent's texts and reasoning to steps and parts of a UI message. */
export interface ChunkSpeech {
  /** Starts a step if none is open. */
  step(): readonly ChatChunk[]
  endStep(): readonly ChatChunk[]
  /** Discards the texts of the step, because the model call is repeated. */
  resetStep(): readonly ChatChunk[]
  /** Adds a piece of text. Opens a part if none of its kind is open. */
  say(kind: 'text' | 'reasoning', delta: string): readonly ChatChunk[]
  /** Closes the open part. */
  hush(): readonly ChatChunk[]
  /** Ends a text. Sends `text` as a whole if it did not arrive in pieces. */
  finish(text: string): readonly ChatChunk[]
  /** Sends the answer unless it was the last text, and closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Creates a mapper without open parts. `newId` creates part ids. */
export function createChunkSpeech(newId: () => string): ChunkSpeech {
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  let isInStep = false
  // Last text that was sent.
  let last = ''

  const speech: ChunkSpeech = {
    step() {
      if (isInStep) return []
      isInStep = true
      return [{ type: 'start-step' }]
    },
    endStep() {
      if (!isInStep) return speech.hush()
      isInStep = false
      return [...speech.hush(), { type: 'finish-step' }]
    },
    resetStep: () => (isInStep ? [...speech.hush(), { type: 'reset-step' }] : []),
    say(kind, delta) {
      if (delta === '') return []
      const before: ChatChunk[] = [...speech.step()]
      if (open?.kind !== kind) {
        before.push(...speech.hush())
        open = { kind, id: newId() }
        before.push({ type: `${kind}-start`, id: open.id })
        if (kind === 'text') last = ''
      }
      if (kind === 'text') last += delta
      return [...before, { type: `${kind}-delta`, id: open.id, delta }]
    },
    hush() {
      if (open === undefined) return []
      const { kind, id } = open
      open = undefined
      return [{ type: `${kind}-end`, id }]
    },
    finish(text) {
      const whole = open?.kind === 'text' ? [] : speech.say('text', text)
      return [...whole, ...speech.hush()]
    },
    complete({ output: { text = '' } }) {
      const missing = text === last ? [] : speech.say('text', text)
      return [...missing, ...speech.endStep()]
    },
  }
  return speech
}
