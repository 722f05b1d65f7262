import type { RunOptions, ApprovalDecision, Approver, JsonObject } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { createAsker } from './ask-question.ts'
import { createPromptLine, showInvisible, type PromptLine } from './prompt-line.ts'
import type { Reporter } from '../reporter/reporter.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Style } from '../terminal/style.ts'

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

/** Approves every request (`--yes`). */
const approveAll: Approver = () => ({ decision: 'approved', reason: '--yes' })

/**
 * Creates an approver that asks at the terminal: allow this call, this conversation or always. Any other
 * answer denies the call.
 */
function createApprover(promptLine: PromptLine, style: Style): Approver {
  return async (request, signal) => {
    const answer = await promptLine(`${callText(request, style)}${questionOf(request)} `, signal)
    if (answer === undefined)
      return {
        decision: 'denied',
        reason: signal.aborted ? 'the run no longer waits for it' : 'nobody answered',
      }
    return decisionOf(answer.trim().toLowerCase())
  }
}

/** Returns the question. A hook's request is asked every time, so it cannot be allowed for longer. */
function questionOf({ reason }: { readonly reason?: string }): string {
  return reason === undefined ? 'Allow it? [y/N] (s: in this session, a: always)' : 'Allow it? [y/N]'
}

function decisionOf(answer: string): ApprovalDecision {
  if (answer === 'y' || answer === 'yes') return { decision: 'approved' }
  if (answer === 's' || answer === 'session') return { decision: 'approved', remember: 'session' }
  if (answer === 'a' || answer === 'always') return { decision: 'approved', remember: 'always' }
  return { decision: 'denied', reason: 'the person at the terminal said no' }
}

/** Returns the whole call as text. Invisible characters are escaped. */
function callText(
  request: {
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    readonly reason?: string
  },
  style: Style,
): string {
  const args = showInvisible(JSON.stringify(request.args, null, 2))
  const tool = style.bold(plainText(request.toolName))
  const why = request.reason === undefined ? '' : `${plainText(request.reason)}\n`
  return `${plainText(request.instance)} wants to call ${tool} with\n${args}\n${why}`
}
