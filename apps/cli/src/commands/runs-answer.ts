import type { Host } from '@troupe/host'
import { chosenAnswer, type ApprovalDecision, type Question } from '@troupe/schema'
import type { CommandContext } from '../context.ts'
import { goOn } from '../team/go-on.ts'
import { readForm } from '../person/read-form.ts'
import { findApproval } from '../stored/find-approval.ts'
import { findRoot } from '../stored/find-root.ts'
import { openKeptRuns } from '../stored/open-store.ts'
import type { RunCommandOptions } from './run.ts'

/**
 * Runs `troupe runs answer RUN QUESTION TEXT`: answers an open question and resumes the run until it ends or
 * waits again.
 */
export async function runsAnswerCommand(
  { run, question, text }: { readonly run: string; readonly question: string; readonly text: string },
  options: RunCommandOptions,
  context: CommandContext,
): Promise<number> {
  const store = await openKeptRuns(options, context)
  const { rootRunId } = await findRoot(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId, asks } = await findApproval(host, rootRunId, question)
    await host.decide(rootRunId, approvalId, { decision: 'approved', ...toAnswer(asks, text) })
  }
  return goOn({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}

function toAnswer(asks: Question | undefined, text: string): Pick<ApprovalDecision, 'answer' | 'values'> {
  if (asks?.form !== undefined) {
    const values = readForm(asks.form, text)
    return { answer: JSON.stringify(values), values }
  }
  return { answer: asks === undefined ? text : (chosenAnswer(asks, text) ?? text) }
}
