import type { RunEvent, RunReport } from '@troupe/schema'

/** Follows what a run writes and gives the text of its answer in pieces. */
export interface AnswerText {
  /** What can be told after this event; mostly nothing. */
  read(event: RunEvent): string
  /** What is missing at the end. */
  end(report: RunReport): string
}

/** What the text of an answer depends on. */
const TELLING: ReadonlySet<RunEvent['type']> = new Set([
  'text-delta',
  'turn-start',
  'model-retry',
  'model-fallback',
])

/** Between what an agent said before it called tools and what it said after. */
const GAP = '\n\n'

/**
 * The answer of a root while it is written: what its own model says, turn after turn; nothing of its children, its tools and its thoughts. With `isWhole` it
 * comes in one piece at the end: JSON that is checked, and perhaps repaired, cannot be taken back.
 */
export function createAnswerText({ isWhole = false }: { readonly isWhole?: boolean } = {}): AnswerText {
  // of the turn at hand
  let told = ''
  let isAfterGap = false
  /** What a model that is asked again has said so far; it may be what was told already. */
  let again: string | undefined

  const say = (text: string): string => {
    const gap = isAfterGap && text !== '' ? GAP : ''
    if (text !== '') isAfterGap = false
    told += text
    return gap + text
  }
  const sayAgain = (text: string): string => {
    const whole = (again ?? '') + text
    again = whole
    if (told.startsWith(whole)) return ''
    again = undefined
    if (whole.startsWith(told)) return say(whole.slice(told.length))
    told = ''
    isAfterGap = true
    return say(whole)
  }
  const nextTurn = (): void => {
    if (told !== '') isAfterGap = true
    told = ''
    again = undefined
  }

  return {
    read(event) {
      // of the many kinds of events only these are looked at any further
      if (!TELLING.has(event.type) || isWhole || event.runId !== event.rootRunId) return ''
      if (event.type === 'text-delta') return again === undefined ? say(event.text) : sayAgain(event.text)
      if (event.type === 'turn-start') nextTurn()
      else if (told !== '') again = ''
      return ''
    },
    end({ output: { text = '' } }) {
      if (text.startsWith(told)) return say(text.slice(told.length))
      // what was written is not the answer: something else has made it
      nextTurn()
      return say(text)
    },
  }
}
