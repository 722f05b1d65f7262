import {
  canonicalJson,
  type ApprovalDecision,
  type Deadline,
  type Json,
  type JsonObject,
  type MaybePromise,
  type Question,
} from '@troupe/schema'
import { write, type Run } from '../session/run.ts'
import type { Stop } from '../time/stop.ts'
import { untilKept } from '../journal/until-kept.ts'
import { waitForPerson } from './wait-for-person.ts'

/** A request for human input: the approval of a call or, with `asks`, a question from a tool. */
export interface Asked {
  readonly callId: string
  /** Key of the request within its run. */
  readonly place: string
  readonly toolName: string
  readonly args: JsonObject
  readonly asks?: Question
  /** Reason given by a hook or by a rule about arguments. */
  readonly reason?: string
}

/** Returns the stored decision on an identical request from before an interruption, if there is one. */
export function recallDecision(run: Run, asked: Asked): ApprovalDecision | undefined {
  const recorded = run.journal?.step(`approval:${asked.place}`) as RecordedDecision | undefined
  if (recorded === undefined || canonicalJson(recorded.args) !== canonicalJson(subjectOf(asked)))
    return undefined
  return recorded
}

type RecordedDecision = ApprovalDecision & { readonly args: Json }

/** Returns the approval id of a request. */
export function approvalIdOf(run: Run, { place }: Pick<Asked, 'place'>): string {
  return `${run.request.runId}:${place}`
}

/**
 * Requests human input, and stores the request and the decision. `answer` asks an approver that is present;
 * if it is missing or returns `undefined`, the request waits at the approval gate. Never rejects.
 */
export async function askAndKeep(
  run: Run,
  asked: Asked,
  {
    clocks,
    answer,
  }: {
    readonly clocks: { readonly deadline: Deadline | undefined; readonly stop: Stop }
    readonly answer: ((signal: AbortSignal) => MaybePromise<ApprovalDecision> | undefined) | undefined
  },
): Promise<ApprovalDecision> {
  const { callId, place, toolName, args, asks, reason } = asked
  const approvalId = approvalIdOf(run, asked)
  const optional = {
    ...(asks === undefined ? {} : { asks }),
    ...(reason === undefined ? {} : { reason }),
  }
  write(
    run,
    'approval-request',
    { approvalId, toolName, args, ...optional },
    { callId, step: { key: `asked:${place}`, value: { args: subjectOf(asked) } } },
  )
  await untilKept(run)
  const announce = (): void => write(run, 'run-waiting', { approvalId })
  const said = await waitForPerson(
    run,
    clocks,
    (signal): MaybePromise<ApprovalDecision> =>
      answer?.(signal) ?? run.root.waiting?.wait({ approvalId, announce }, signal) ?? { decision: 'denied' },
  )
  const decision = 'answer' in said ? said.answer : { decision: 'denied' as const, reason: said.reason }
  write(
    run,
    'approval-result',
    { approvalId, toolName, ...decision },
    { callId, step: { key: `approval:${place}`, value: { ...decision, args: subjectOf(asked) } } },
  )
  return decision
}

function subjectOf({ args, asks }: Asked): Json {
  return asks === undefined ? args : (asks as unknown as Json)
}
