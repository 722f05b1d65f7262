import type { RunOptions } from '@troupe/schema'
import { approveAll, createApprover } from './ask-approval.ts'
import { createAsker } from './ask-question.ts'
import { createPromptLine, type PromptLine } from './prompt-line.ts'
import type { Reporter } from '../reporter/reporter.ts'
import type { Terminal } from '../terminal/terminal.ts'

/**
 * Returns the approver and asker of a run: the user at the terminal, or `--yes`. Without either, approvals
 * are denied and questions stay unanswered.
 */
export function terminalHumanInput(
  terminal: Terminal,
  {
    yes = false,
    reporter,
    readLine,
  }: {
    readonly yes?: boolean | undefined
    readonly reporter: Reporter
    /** Reads a line. Default: directly from stdin. */
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
