import type { ApprovalDecision, Deadline, PersonAnswer, Question } from '@troupe/schema'
import { askAndKeep, recallDecision, type Asked } from './kept-question.ts'
import type { Run } from '../session/run.ts'
import type { Stop } from '../time/stop.ts'

/** A tool that asks. */
export interface AskingCall {
  readonly callId: string
  readonly toolName: string
  readonly attempt: number
  /** From 1, in the attempt. */
  readonly ordinal: number
  /** Its run may be left until somebody answers: the tool is called again then. */
  readonly mayWait: boolean
  readonly clocks: { readonly deadline: Deadline | undefined; readonly stop: Stop }
}

/** A question of a tool to the person the run works for. It is kept with its answer: who has answered is not asked again. Never rejects. */
export async function askPerson(run: Run, asks: Question, call: AskingCall): Promise<PersonAnswer> {
  const { callId, toolName, attempt, ordinal, clocks } = call
  const asked: Asked = { callId, place: `${callId}#${attempt}.${ordinal}`, toolName, args: {}, asks }
  const recalled = recallDecision(run, asked)
  if (recalled !== undefined) return toAnswer(recalled)
  const { ask, waiting } = run.root
  if (ask === undefined && (waiting === undefined || !call.mayWait))
    return { answered: false, reason: 'there is nobody to ask' }
  const { runId, agent, instance } = run.request
  const answer =
    ask === undefined
      ? undefined
      : async (signal: AbortSignal): Promise<ApprovalDecision> =>
          toDecision(await ask({ ...asks, toolName, runId, agent: agent.name, instance }, signal))
  return toAnswer(await askAndKeep(run, asked, { clocks, answer }))
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
