import type { RunListener, RunEvent } from '@troupe/schema'
import { eventLine, plainText } from '@troupe/timeline'
import type { Output } from '../terminal/terminal.ts'

/** Display of a running agent. */
export interface Reporter {
  readonly onEvent: RunListener
  /** Receives events of a resumed run from before the resume, which are not shown as new. Default: `onEvent`. */
  readonly onPastEvent?: RunListener
  /** Asks a question below the display. Without it, the question is asked while the display is paused. */
  readonly ask?: PromptLine | undefined
  /** Stops drawing while `work` uses the terminal for a question. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** Shows the final state, synchronously. Later calls and events have no effect. */
  end(): void
}

/** Prints a text and reads one line. Resolves with `undefined` if the signal aborts or the input ends. */
export type PromptLine = (text: string, signal: AbortSignal) => Promise<string | undefined>

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
    const interimText = text
    text = ''
    return interimText
  }
}

const LINE = 500
const VERBOSE_LINE = 4000

/**
 * Creates a reporter that prints one line per event, and the text of the root run between its calls.
 * `verbose` allows longer lines. With `mayNotStart`, the line of the start is printed with the next event, and
 * not at all if the run fails without another event.
 */
export function createPlainReporter(
  output: Output,
  { verbose, mayNotStart = false }: { readonly verbose: boolean; readonly mayNotStart?: boolean },
): Reporter {
  const max = verbose ? VERBOSE_LINE : LINE
  const interimText = createInterimText()
  let bufferedLines: string[] | undefined
  let start: RunEvent | undefined
  const print = (line: string): void => {
    if (bufferedLines === undefined) output.write(`${line}\n`)
    else bufferedLines.push(line)
  }
  const release = (): void => {
    const lines = bufferedLines ?? []
    bufferedLines = undefined
    for (const line of lines) print(line)
  }
  const printEvent = (event: RunEvent): void => {
    const interim = interimText(event)
    if (interim !== undefined) print(plainText(`${event.instance} says: ${interim}`, { max }))
    const line = eventLine(withoutFinalError(event), { max })
    if (line !== undefined) print(line)
  }
  return {
    onEvent(event) {
      if (mayNotStart && event.type === 'run-start' && event.depth === 0) {
        start = event
        return
      }
      const held = start
      start = undefined
      if (held !== undefined && isFailedRoot(event)) return
      if (held !== undefined) printEvent(held)
      printEvent(event)
    },
    onPastEvent(event) {
      interimText(event)
    },
    async pause(work) {
      bufferedLines = []
      try {
        return await work()
      } finally {
        release()
      }
    },
    end: release,
  }
}

/** Returns true for the end of a root run that failed. */
export function isFailedRoot(event: RunEvent): boolean {
  return event.type === 'run-end' && event.depth === 0 && event.outcome === 'failed'
}

/** Removes the error of the root run, which is printed after the run with its fix. */
function withoutFinalError(event: RunEvent): RunEvent {
  if (event.type !== 'run-end' || event.depth > 0 || event.outcome !== 'failed') return event
  const { error: _, ...rest } = event
  return rest
}
