import type { RunEvent } from '@troupe/schema'
import { eventLine, plainText } from '@troupe/timeline'
import type { Output } from '../terminal/terminal.ts'
import { createInterimText } from './interim-text.ts'
import type { Reporter } from './reporter.ts'

const LINE = 500
const VERBOSE_LINE = 4000

/** One line per event, and what the root says between its calls. `verbose` cuts lines later. */
export function createPlainReporter(output: Output, { verbose }: { readonly verbose: boolean }): Reporter {
  const max = verbose ? VERBOSE_LINE : LINE
  const interimText = createInterimText()
  let held: string[] | undefined
  const print = (line: string): void => {
    if (held === undefined) output.write(`${line}\n`)
    else held.push(line)
  }
  const release = (): void => {
    const lines = held ?? []
    held = undefined
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
      held = []
      try {
        return await work()
      } finally {
        release()
      }
    },
    end: release,
  }
}

/** The failure of the whole run is printed after it, with what to do. */
function withoutFinalError(event: RunEvent): RunEvent {
  if (event.type !== 'run-end' || event.depth > 0 || event.outcome !== 'failed') return event
  const { error: _, ...rest } = event
  return rest
}
