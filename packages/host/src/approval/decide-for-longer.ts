import { isJsonObject, openApprovals, type ApprovalDecision, type RunStore } from '@troupe/schema'
import type { RootRuns } from '../roots/root-runs.ts'
import { lastingDecision, type AskingRoot, type RememberedAnswers } from './remembered-answers.ts'

/**
 * Decides a pending call and remembers the decision for the scope it names. Rejects in the same cases as
 * `decide` of `RootRuns`.
 */
export async function decideForLonger(
  rootRunId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: ApprovalDecision },
  parts: {
    readonly store: RunStore
    readonly roots: Pick<RootRuns, 'decide'>
    readonly answers: Pick<RememberedAnswers, 'keep'>
    readonly placeOf: AskingRoot['placeOf']
  },
): Promise<void> {
  const { store, roots, answers, placeOf } = parts
  // Read first: once decided, the call is no longer pending.
  const asked = decision.remember === undefined ? undefined : await findAsked(store, rootRunId, approvalId)
  const said = asked === undefined ? decision : lastingDecision(decision, asked.call)
  await roots.decide(store, { rootRunId, approvalId, decision: said })
  if (asked !== undefined) await answers.keep(said, asked.call, { session: asked.session, placeOf })
}

/** Returns the pending call and its session. */
async function findAsked(store: RunStore, rootRunId: string, approvalId: string) {
  const [events, steps] = await Promise.all([store.events(rootRunId), store.steps(rootRunId, rootRunId)])
  const call = openApprovals(events).find((open) => open.approvalId === approvalId)
  const begin = steps.get('begin')
  if (call === undefined || !isJsonObject(begin)) return undefined
  const { sessionId, principal } = begin
  if (typeof sessionId !== 'string' || typeof principal !== 'string') return undefined
  return { call, session: { sessionId, principal } }
}
