import type { ComposeContext, RunResult } from '@troupe/schema'
import pLimit from 'p-limit'
import type { Member } from './member.ts'

/** A child run to open in a step. */
export interface Delegation {
  readonly member: Member
  readonly input: string
}

/**
 * Runs the children of one step, at most `limits.maxParallel` at a time. Results keep the order of
 * `delegations`. Never rejects.
 */
export function delegate(
  { definition, run, nextStep }: ComposeContext,
  delegations: readonly Delegation[],
): Promise<readonly RunResult[]> {
  const turn = nextStep()
  const { maxParallel, parallelToolCalls } = definition.limits
  const limit = pLimit(parallelToolCalls ? maxParallel : 1)
  return Promise.all(
    delegations.map(({ member: { name, digest }, input }, index) => {
      const ordinal = index + 1
      const callId = `${turn}.${ordinal}`
      const site = { turn, ordinal, callId, toolUseId: callId, instanceIndex: ordinal }
      return limit(() => run.child({ name, digest }, { site, attempt: 1, input }))
    }),
  )
}

/** Runs one child as a separate step. */
export async function delegateOne(
  context: ComposeContext,
  member: Member,
  input: string,
): Promise<RunResult> {
  const [result] = await delegate(context, [{ member, input }])
  return result as RunResult
}
