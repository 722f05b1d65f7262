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

/** What a person is asked: whether a call may be made or, with `asks`, a question of a tool. */
export interface Asked {
  readonly callId: string
  /** In its run. */
  readonly place: string
  readonly toolName: string
  readonly args: JsonObject
  readonly asks?: Question
  /** Why a hook, or a rule about arguments, asks. */
  readonly reason?: string
}

/** What was said to the same before the run was interrupted: to anything else a person is asked again. */
export function recallDecision(run: Run, asked: Asked): ApprovalDecision | undefined {
  const recorded = run.journal?.step(`approval:${asked.place}`) as RecordedDecision | undefined
  if (recorded === undefined || canonicalJson(recorded.args) !== canonicalJson(subjectOf(asked)))
    return undefined
  return recorded
}

type RecordedDecision = ApprovalDecision & { readonly args: Json }

/** The id under which it is decided on. */
export function approvalIdOf(run: Run, { place }: Pick<Asked, 'place'>): string {
  return `${run.request.runId}:${place}`
}

/** Asks, and keeps what was asked and what was said. `answer`: somebody who is there; none, or undefined from it: it waits for who comes. Never rejects. */
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
