import type { ApprovalDecision, Deadline, PersonAnswer, Question } from '@troupe/schema'
import { requestDecision, recallDecision, type HumanInputRequest } from './request-decision.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { Cancellation } from '../run/cancellation.ts'

/** A tool call that asks a question. */
export interface QuestionContext {
  readonly callId: string
  readonly toolName: string
  readonly attempt: number
  /** 1-based number of the question within the attempt. */
  readonly ordinal: number
  /** True if the run may be suspended until there is an answer. The tool is then called again. */
  readonly mayWait: boolean
  readonly clocks: { readonly deadline: Deadline | undefined; readonly cancellation: Cancellation }
}

/** Asks a question for a tool. A stored answer is reused when the run is resumed. Never rejects. */
export async function askQuestion(
  run: LoggedRun,
  asks: Question,
  call: QuestionContext,
): Promise<PersonAnswer> {
  const { callId, toolName, attempt, ordinal, clocks } = call
  const request: HumanInputRequest = {
    callId,
    requestKey: `${callId}#${attempt}.${ordinal}`,
    toolName,
    args: {},
    asks,
  }
  const recalled = recallDecision(run, request)
  if (recalled !== undefined) return toAnswer(recalled)
  const { ask, approvalGate } = run.root
  if (ask === undefined && (approvalGate === undefined || !call.mayWait))
    return { answered: false, reason: 'there is nobody to ask' }
  const { runId, agent, instance } = run.request
  const answer =
    ask === undefined
      ? undefined
      : async (signal: AbortSignal): Promise<ApprovalDecision> =>
          toDecision(await ask({ ...asks, toolName, runId, agent: agent.name, instance }, signal))
  return toAnswer(await requestDecision(run, request, { clocks, answer }))
}

function toDecision(said: PersonAnswer): ApprovalDecision {
  if (!said.answered) return { decision: 'denied', reason: said.reason }
  const { text, values } = said
  return { decision: 'approved', answer: text, ...(values === undefined ? {} : { values }) }
}

function toAnswer({ decision, answer, values, reason }: ApprovalDecision): PersonAnswer {
  if (decision === 'denied' || answer === undefined)
    return { answered: false, reason: reason ?? 'the person did not want to answer' }
  return { answered: true, text: answer, ...(values === undefined ? {} : { values }) }
}
