import type { RunOptions } from '@troupe/schema'
import { approveAll, createApprover } from './ask-approval.ts'
import { createAsker } from './ask-question.ts'
import { createPromptLine, type PromptLine } from './prompt-line.ts'
import type { Reporter } from '../reporter/reporter.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Who answers a run: the person at the terminal, `--yes`, or nobody. Then what asks is denied, and questions stay without an answer. */
export function personAtTerminal(
  terminal: Terminal,
  {
    yes = false,
    reporter,
    readLine,
  }: {
    readonly yes?: boolean | undefined
    readonly reporter: Reporter
    /** How a line is asked for; none: from stdin as it is. */
    readonly readLine?: PromptLine | undefined
  },
): Pick<RunOptions, 'approve' | 'ask'> {
  if (!terminal.interactive) return yes ? { approve: approveAll } : {}
  const promptLine = createPromptLine(terminal, reporter, readLine)
  return {
    approve: yes ? approveAll : createApprover(promptLine, terminal.style),
    ask: createAsker(promptLine, terminal.style),
  }
}
