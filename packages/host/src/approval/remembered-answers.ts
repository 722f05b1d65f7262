import type { ApprovalDecision, Approver, SessionKey } from '@troupe/schema'
import type { AlwaysAnswers } from './always-answers.ts'

/** What persons have said of tools, so that they are not asked again: for a conversation, or for good. */
export interface RememberedAnswers {
  /** The approver of a root: asks nobody where it is known that the tool may run. */
  forRoot(approve: Approver, root: AskingRoot): Approver
}

/** The root that calls are asked for. */
export interface AskingRoot {
  readonly session: SessionKey
  /** Where the card of an agent stands: what was allowed of one card is not of another of its name. */
  placeOf(agent: string): string
}

/** Sessions of which answers are kept; the one unused for the longest goes first. */
const MOST_SESSIONS = 1000

/**
 * Remembers `session` in this host, and `always` in `always`. A call that a hook wants to be asked is asked each time: it is about these arguments, and an
 * answer is about the tool.
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

  return {
    forRoot:
      (approve, { session, placeOf }) =>
      async (request, signal) => {
        if (request.reason !== undefined) return onceOnly(await approve(request, signal))
        const place = { principal: session.principal, card: placeOf(request.agent), tool: request.toolName }
        const id = JSON.stringify([place.card, place.tool])
        if (always.has(place)) return { decision: 'approved', remembered: 'always' }
        if (allowedIn(session).has(id)) return { decision: 'approved', remembered: 'session' }
        const answer = await approve(request, signal)
        if (answer.decision !== 'approved') return onceOnly(answer)
        if (answer.remember === 'session') allowedIn(session).add(id)
        if (answer.remember === 'always') await always.add(place)
        return answer
      },
  }
}

function onceOnly({ decision, reason }: ApprovalDecision): ApprovalDecision {
  return { decision, ...(reason === undefined ? {} : { reason }) }
}
