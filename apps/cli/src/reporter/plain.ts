import { eventLine, plainText } from '@troupe/timeline'
import type { RunEvent } from '@troupe/schema'
import type { Output } from '../terminal.ts'
import type { Reporter } from './reporter.ts'

const VERBOSE_LINE = 4000

/** One line per event. `verbose` adds what the root says between its calls, and cuts lines later. */
export function createPlainReporter(output: Output, { verbose }: { readonly verbose: boolean }): Reporter {
  return {
    onEvent(event) {
      const line = verbose ? verboseLine(event) : eventLine(event)
      if (line !== undefined) output.write(`${line}\n`)
    },
    pause: (work) => work(),
    end: () => undefined,
  }
}

/** The text of a child is not shown (A51); that of the root is (A57). */
function verboseLine(event: RunEvent): string | undefined {
  if (event.type !== 'text-end' || event.depth > 0) return eventLine(event, { max: VERBOSE_LINE })
  return plainText(`${event.instance} says: ${event.text}`, { max: VERBOSE_LINE })
}
