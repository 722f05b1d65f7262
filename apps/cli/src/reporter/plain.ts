import type { RunEvent } from '@troupe/schema'
import { eventLine, plainText } from '@troupe/timeline'
import type { Output } from '../terminal/terminal.ts'
import { createInterimText, type Reporter } from './reporter.ts'

const LINE = 500
const VERBOSE_LINE = 4000

/**
 * Creates a reporter that prints one line per event, and the text of the root run between its calls.
 * `verbose` allows longer lines.
 */
export function createPlainReporter(output: Output, { verbose }: { readonly verbose: boolean }): Reporter {
  const max = verbose ? VERBOSE_LINE : LINE
  const interimText = createInterimText()
  let bufferedLines: string[] | undefined
  const print = (line: string): void => {
    if (bufferedLines === undefined) output.write(`${line}\n`)
    else bufferedLines.push(line)
  }
  const release = (): void => {
    const lines = bufferedLines ?? []
    bufferedLines = undefined
    for (const line of lines) print(line)
  }
  return {
    onEvent(event) {
      const said = interimText(event)
      if (said !== undefined) print(plainText(`${event.instance} says: ${said}`, { max }))
      const line = eventLine(withoutFinalError(event), { max })
      if (line !== undefined) print(line)
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

/** Removes the error of the root run, which is printed after the run with its fix. */
function withoutFinalError(event: RunEvent): RunEvent {
  if (event.type !== 'run-end' || event.depth > 0 || event.outcome !== 'failed') return event
  const { error: _, ...rest } = event
  return rest
}
