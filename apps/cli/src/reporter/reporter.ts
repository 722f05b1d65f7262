import type { RunListener, RunEvent } from '@troupe/schema'
import type { Output } from '../terminal/terminal.ts'

/** Display of a running agent. */
export interface Reporter {
  readonly onEvent: RunListener
  /** Stops drawing while `work` uses the terminal for a question. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Shows the final state, synchronously. Later calls and events have no effect. */
  end(): void
}

export const SILENT: Reporter = {
  onEvent: () => undefined,
  pause: (work) => work(),
  end: () => undefined,
}

/** Creates a reporter that prints every event as one line of JSON (`--events`). */
export function createEventsReporter(output: Output): Reporter {
  return {
    onEvent: (event) => {
      output.write(`${JSON.stringify(event)}\n`)
    },
    pause: (work) => work(),
    end: () => undefined,
  }
}

/**
 * Creates a function that returns the text of the root run before its tool calls, at the first call of a
 * turn. It returns neither the final answer nor the text of child runs.
 */
export function createInterimText(): (event: RunEvent) => string | undefined {
  let text = ''
  return (event) => {
    if (event.depth > 0) return undefined
    if (event.type === 'turn-start') text = ''
    if (event.type === 'text-end') text += event.text
    if (event.type !== 'tool-call' || text.trim() === '') return undefined
    const said = text
    text = ''
    return said
  }
}
