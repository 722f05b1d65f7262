import type { RunReport } from '@troupe/schema'
import type { ChatChunk } from './chat-chunk.ts'

/** What the agent says and thinks, in steps, as parts of a UI message. */
export interface ChunkSpeech {
  /** Begins a step, where none is open. */
  step(): readonly ChatChunk[]
  endStep(): readonly ChatChunk[]
  /** What was said in the step comes again. */
  resetStep(): readonly ChatChunk[]
  /** A piece; begins a part where none of its kind is open. */
  say(kind: 'text' | 'reasoning', delta: string): readonly ChatChunk[]
  /** Ends the part that is open. */
  hush(): readonly ChatChunk[]
  /** A text has ended, which was `text`; one that did not come in pieces is told as a whole. */
  finish(text: string): readonly ChatChunk[]
  /** Tells the answer, where it is not what was said last, and closes what is open. */
  complete(report: Pick<RunReport, 'output'>): readonly ChatChunk[]
}

/** Nothing was said. `newId` makes ids of parts. */
export function createChunkSpeech(newId: () => string): ChunkSpeech {
  let open: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  let isInStep = false
  // the last text
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
