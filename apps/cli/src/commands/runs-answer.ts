import type { Host } from '@troupe/host'
import { matchChoice, type ApprovalDecision, type Question } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { resumeStoredRun } from './resume.ts'
import { readForm } from '../input/form.ts'
import { findApproval } from '../run-store/find-approval.ts'
import { findRootRun } from '../run-store/find-root-run.ts'
import { openExistingStore } from '../run-store/open-store.ts'
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
  const store = await openExistingStore(options, context)
  const { rootRunId } = await findRootRun(store, run)
  const before = async (host: Host): Promise<void> => {
    const { approvalId, asks } = await findApproval(host, rootRunId, question)
    await host.decide(rootRunId, approvalId, { decision: 'approved', ...toAnswer(asks, text) })
  }
  return resumeStoredRun({ card: undefined, rootRunId, store, before }, { ...options, wait: true }, context)
}

function toAnswer(asks: Question | undefined, text: string): Pick<ApprovalDecision, 'answer' | 'values'> {
  if (asks?.form !== undefined) {
    const values = readForm(asks.form, text)
    return { answer: JSON.stringify(values), values }
  }
  return { answer: asks === undefined ? text : (matchChoice(asks, text) ?? text) }
}
