import type { ApprovalDecision, ApprovalRequest, Approver, SessionKey } from '@troupe/schema'
import type { AlwaysAnswers, AnsweredTool } from './always-answers.ts'

/** What persons have said of tools, so that they are not asked again: for a conversation, or for good. */
export interface RememberedAnswers {
  /** The approver of a root: asks nobody where it is known that the tool may run. */
  forRoot(approve: Approver, root: AskingRoot): Approver
  /** What was said of the tool of a call for so long that it holds for this one; undefined: nothing, or only the call itself may be asked about. */
  known(call: AskedCall, root: AskingRoot): ApprovalDecision | undefined
  /** Keeps a decision for as long as it says (`lastingDecision`). */
  keep(decision: ApprovalDecision, call: AskedCall, root: AskingRoot): Promise<void>
}

/** What an answer is about: the tool of an agent. One with a reason is about its arguments. */
export type AskedCall = Pick<ApprovalRequest, 'agent' | 'toolName' | 'reason'>

/** The root that calls are asked for. */
export interface AskingRoot {
  readonly session: SessionKey
  /** Where the card of an agent stands: what was allowed of one card is not of another of its name. */
  placeOf(agent: string): string
}

/** Sessions of which answers are kept; the one unused for the longest goes first. */
const MOST_SESSIONS = 1000

/**
 * Remembers `session` in this host, and `always` in `always`. A call that a hook, or a rule about arguments, asks about is asked each time: the question is
 * about these arguments, and a remembered answer is about the tool.
 */
export function createRememberedAnswers(always: AlwaysAnswers): RememberedAnswers {
  const sessions = new Map<string, Set<string>>()

  function allowedIn(session: SessionKey): Set<string> {
    const key = JSON.stringify([session.principal, session.sessionId])
    const allowed = sessions.get(key) ?? new Set()
    sessions.delete(key)
    sessions.set(key, allowed)
    const [oldest] = sessions.keys()
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    return allowed
  }

  function known(call: AskedCall, root: AskingRoot): ApprovalDecision | undefined {
    if (call.reason !== undefined) return undefined
    const place = toPlace(call, root)
    if (always.has(place)) return { decision: 'approved', remembered: 'always' }
    return allowedIn(root.session).has(idOf(place))
      ? { decision: 'approved', remembered: 'session' }
      : undefined
  }

  async function keep({ remember }: ApprovalDecision, call: AskedCall, root: AskingRoot): Promise<void> {
    const place = toPlace(call, root)
    if (remember === 'session') allowedIn(root.session).add(idOf(place))
    if (remember === 'always') await always.add(place)
  }

  return {
    forRoot: (approve, root) => async (request, signal) => {
      const before = known(request, root)
      if (before !== undefined) return before
      const decision = lastingDecision(await approve(request, signal), request)
      await keep(decision, request, root)
      return decision
    },
    known,
    keep,
  }
}

/** Returns the decision without `remember` where it cannot hold for other calls: for a denial, and for a call that was asked about with a reason. */
export function lastingDecision(
  { remember, ...once }: ApprovalDecision,
  { reason }: Pick<AskedCall, 'reason'>,
): ApprovalDecision {
  const holds = remember !== undefined && reason === undefined && once.decision === 'approved'
  return holds ? { ...once, remember } : once
}

function toPlace({ agent, toolName }: AskedCall, { session, placeOf }: AskingRoot): AnsweredTool {
  return { principal: session.principal, card: placeOf(agent), tool: toolName }
}

/** In its conversation. */
function idOf({ card, tool }: AnsweredTool): string {
  return JSON.stringify([card, tool])
}
