import type { Failure } from '@troupe/schema'
import type { PreparedAgent, RunRequest } from '@troupe/schema/ports'
import { checkByAgents, checkByRules, type GuardCheck } from '../guards/check-texts.ts'
import type { LoggedRun } from '../log/run-log.ts'
import { requestTexts, withRequestTexts } from '../log/request-texts.ts'
import type { LoopRun } from '../loop/loop-run.ts'

const INPUT = Object.freeze({ place: 'input', ordinal: 0, what: 'the input' } as const)

/**
 * Checks the texts of a request with the patterns and functions among the input guards, before its prompt is filled
 * in. Returns the request without what they removed, or the failure of the run if they deny it.
 */
export async function guardRequest(
  run: LoggedRun,
  { guards }: PreparedAgent,
): Promise<RunRequest | { readonly failure: Failure }> {
  const { request } = run
  if (guards === undefined || guards.input.length === 0) return request
  const check: GuardCheck = { ...INPUT, texts: requestTexts(request), key: 'input' }
  const { denied, isChanged, texts } = await checkByRules(run, guards.input, check)
  if (denied !== undefined) return { failure: denied }
  return isChanged ? withRequestTexts(request, texts) : request
}

/**
 * Checks the texts of a request with the agents among the input guards, before the first call of the run's own
 * model. Returns the failure of the run if they deny it.
 */
export async function guardInputByAgents(run: LoopRun): Promise<Failure | undefined> {
  const guards = run.prepared.guards?.input ?? []
  if (!guards.some(({ kind }) => kind === 'agent')) return undefined
  const check: GuardCheck = { ...INPUT, texts: requestTexts(run.request), key: 'input-agents' }
  const { denied } = await checkByAgents(run, guards, check)
  // a denied input must not be carried over to the next run of the session
  if (denied !== undefined) run.conversation.reset()
  return denied
}
