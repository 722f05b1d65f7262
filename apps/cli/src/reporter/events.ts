import type { Output } from '../terminal/terminal.ts'
import type { Reporter } from './reporter.ts'

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
