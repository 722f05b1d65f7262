import type { RunEvent } from '@troupe/schema'

/** Extracts what a client sees of the reasoning of a run from its events, piece by piece. */
export interface ReasoningText {
  /** Returns the text to send after this event; usually empty. */
  read(event: RunEvent): string
}

/** The reasoning that a client asks for. */
export interface ReasoningOptions {
  /** True for a line when a child starts and when it has ended. */
  readonly withChildren: boolean
}

/** Maximum length of the input of a child in a line, in characters. */
const MAX_INPUT = 200

/** Creates the extractor: the reasoning of the root run's own model, and what its children do. */
export function createReasoningText({ withChildren }: ReasoningOptions): ReasoningText {
  let last: 'model' | 'child' | undefined
  const append = (kind: 'model' | 'child', text: string): string => {
    const gap = gapBetween(last, kind)
    last = kind
    return gap + text
  }
  return {
    read(event) {
      const isRoot = event.runId === event.rootRunId
      if (isRoot && event.type === 'reasoning-delta')
        return event.text === '' ? '' : append('model', event.text)
      // the reasoning of each turn is a paragraph
      if (isRoot && event.type === 'turn-start' && last === 'model') last = 'child'
      const line = isRoot || !withChildren ? undefined : childLine(event)
      return line === undefined ? '' : append('child', line)
    },
  }
}

function gapBetween(last: 'model' | 'child' | undefined, next: 'model' | 'child'): string {
  if (last === undefined) return ''
  if (last === next) return next === 'model' ? '' : '\n'
  return '\n\n'
}

/** Returns what a child does, in one line. */
function childLine(event: RunEvent): string | undefined {
  if (event.type === 'run-start') return `Calls ${event.agent}: ${oneLine(event.input)}`
  return event.type === 'run-end' ? `${event.agent}: ${event.outcome}.` : undefined
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  return line.length <= MAX_INPUT ? line : `${line.slice(0, MAX_INPUT)}…`
}
