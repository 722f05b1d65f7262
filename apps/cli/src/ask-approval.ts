import type { Approver, JsonObject } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { PromptLine } from './prompt-line.ts'
import { showInvisible } from './show-invisible.ts'
import type { Style } from './style.ts'

/** Approves everything that asks (`--yes`). */
export const approveAll: Approver = () => ({ decision: 'approved', reason: '--yes' })

/** Asks the person at the terminal; anything but yes is a no. */
export function createApprover(promptLine: PromptLine, style: Style): Approver {
  return async (request, signal) => {
    const answer = await promptLine(`${callText(request, style)}Allow it? [y/N] `, signal)
    if (answer === undefined)
      return {
        decision: 'denied',
        reason: signal.aborted ? 'the run no longer waits for it' : 'nobody answered',
      }
    return /^\s*y(?:es)?\s*$/iu.test(answer)
      ? { decision: 'approved' }
      : { decision: 'denied', reason: 'the person at the terminal said no' }
  }
}

/** The whole call, safe to print: what cannot be seen is written as an escape. */
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
