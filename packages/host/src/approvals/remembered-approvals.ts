import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type Approver,
  isJsonObject,
  troupeError,
} from '@troupe/schema'
import type { SessionKey } from '@troupe/schema/ports'

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

/** A tool of one agent, as approved by one principal. */
interface ApprovedTool {
  readonly principal: string
  /** Path or address of the card; `code:NAME` for an agent from code. */
  readonly card: string
  readonly tool: string
}

/** Tools that are always approved. */
interface PermanentApprovals {
  has(tool: ApprovedTool): boolean
  add(tool: ApprovedTool): Promise<void>
}

const VERSION = 1

/** Returns the path of the approvals file in the state folder of an app. */
export function approvalsFile(stateFolder: string): string {
  return join(stateFolder, 'approvals.json')
}

/**
 * Stores approvals in a file that only this user can read and that may be edited by hand; without `file`, in
 * memory. The file is read for every question, which are rare. A file that cannot be read approves nothing.
 */
export function createPermanentApprovals(file: string | undefined): PermanentApprovals {
  const inMemory = new Set<string>()
  const read = (): ReadonlySet<string> => (file === undefined ? inMemory : readApprovals(file))
  return {
    has: (tool) => read().has(keyOf(tool)),
    add: async (tool) => {
      const key = keyOf(tool)
      if (file === undefined) inMemory.add(key)
      else writeApprovals(file, new Set([...readApprovals(file), key]))
    },
  }
}

function keyOf({ principal, card, tool }: ApprovedTool): string {
  return JSON.stringify([principal, card, tool])
}

function readApprovals(file: string): ReadonlySet<string> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isJsonObject(parsed) || !Array.isArray(parsed['allowed'])) return NO_APPROVALS
    return new Set(parsed['allowed'].map((entry) => JSON.stringify(entry)))
  } catch {
    // Missing or damaged: approvals are asked for again.
    return NO_APPROVALS
  }
}

const NO_APPROVALS: ReadonlySet<string> = new Set()

/** Replaces the file atomically, because another process may read it. */
function writeApprovals(file: string, approvals: ReadonlySet<string>): void {
  const allowed = [...approvals].map((key) => JSON.parse(key) as unknown)
  const temporary = `${file}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, `${JSON.stringify({ version: VERSION, allowed }, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch (cause) {
    throw troupeError('store_unavailable', `${file}: the answer cannot be saved: ${String(cause)}.`, {
      cause,
    })
  }
}
