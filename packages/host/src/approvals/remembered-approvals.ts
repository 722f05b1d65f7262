import type { ApprovalDecision, ApprovalRequest, Approver } from '@troupe/schema'
import type { SessionKey } from '@troupe/schema/ports'
import type { ApprovedTool, PermanentApprovals } from './permanent-approvals.ts'

/** Remembered approvals of tools, for a session or permanently. */
export interface RememberedApprovals {
  /** Wraps the approver of a root run so that it is not called for remembered approvals. */
  wrapApprover(approve: Approver, root: ApprovalScope): Approver
  /**
   * Returns the remembered approval for the tool of a call, or `undefined` if there is none or the call needs
   * its own decision.
   */
  findApproval(call: ApprovalSubject, root: ApprovalScope): ApprovalDecision | undefined
  /** Remembers a decision for the scope it names. Expects a decision from `lastingDecision`. */
  rememberDecision(decision: ApprovalDecision, call: ApprovalSubject, root: ApprovalScope): Promise<void>
}

/**
 * The call that a decision is about. With a `reason`, the decision is about its arguments, otherwise about
 * the tool.
 */
type ApprovalSubject = Pick<ApprovalRequest, 'agent' | 'toolName' | 'reason'>

/** The root run that asks for approval. */
interface ApprovalScope {
  readonly session: SessionKey
  /**
   * Returns the path or address of the card of an agent. An approval holds for one card, not for others with
   * the same agent name.
   */
  locateCard(agent: string): string
}

/** Maximum number of sessions to remember; the least recently used one is dropped first. */
const MAX_SESSIONS = 1000

/**
 * Remembers `session` approvals in memory and `always` approvals in `always`. A call that a hook or an
 * argument rule asks about needs a new decision each time, because that question is about the arguments and a
 * remembered approval is about the tool.
 */
export function createRememberedApprovals(always: PermanentApprovals): RememberedApprovals {
  const sessions = new Map<string, Set<string>>()

  function allowedIn(session: SessionKey): Set<string> {
    const key = JSON.stringify([session.principal, session.sessionId])
    const allowed = sessions.get(key) ?? new Set()
    sessions.delete(key)
    sessions.set(key, allowed)
    const [oldest] = sessions.keys()
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    return allowed
  }

  function findApproval(call: ApprovalSubject, root: ApprovalScope): ApprovalDecision | undefined {
    if (call.reason !== undefined) return undefined
    const approvedTool = toApprovedTool(call, root)
    if (always.has(approvedTool)) return { decision: 'approved', remembered: 'always' }
    return allowedIn(root.session).has(idOf(approvedTool))
      ? { decision: 'approved', remembered: 'session' }
      : undefined
  }

  async function rememberDecision(
    { remember }: ApprovalDecision,
    call: ApprovalSubject,
    root: ApprovalScope,
  ): Promise<void> {
    const approvedTool = toApprovedTool(call, root)
    if (remember === 'session') allowedIn(root.session).add(idOf(approvedTool))
    if (remember === 'always') await always.add(approvedTool)
  }

  return {
    wrapApprover: (approve, root) => async (request, signal) => {
      const remembered = findApproval(request, root)
      if (remembered !== undefined) return remembered
      const decision = lastingDecision(await approve(request, signal), request)
      await rememberDecision(decision, request, root)
      return decision
    },
    findApproval,
    rememberDecision,
  }
}

/**
 * Removes `remember` from a decision that cannot apply to other calls: a denial, or a call that was asked
 * about with a reason.
 */
export function lastingDecision(
  { remember, ...once }: ApprovalDecision,
  { reason }: Pick<ApprovalSubject, 'reason'>,
): ApprovalDecision {
  const isLasting = remember !== undefined && reason === undefined && once.decision === 'approved'
  return isLasting ? { ...once, remember } : once
}

function toApprovedTool(
  { agent, toolName }: ApprovalSubject,
  { session, locateCard }: ApprovalScope,
): ApprovedTool {
  return { principal: session.principal, card: locateCard(agent), tool: toolName }
}

/** Returns a key that is unique within a session. */
function idOf({ card, tool }: ApprovedTool): string {
  return JSON.stringify([card, tool])
}
