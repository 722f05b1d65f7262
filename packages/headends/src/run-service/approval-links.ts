import { createHash, randomBytes } from 'node:crypto'
import {
  isJsonObject,
  troupeError,
  type ApprovalDecision,
  type Json,
  type JsonObject,
  type WriteTarget,
} from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { requireOpen, type ListedApproval } from './approvals.ts'
import type { RunHost, RunServiceContext } from './run-service-context.ts'
import { findOwner, findRun, readRequest, type RunRef } from './stored-run.ts'

/** A decision that a link allows. */
type LinkDecision = ApprovalDecision['decision']

/** A request for a link with which its holder, who needs no token, decides once on a call. */
export interface ApprovalLinkRequest extends RunRef {
  readonly approvalId: string
  /** The receiver of the link, for the log of decisions. */
  readonly sentTo: string
  readonly decisions: readonly LinkDecision[]
  /** Lifetime in ms. The link ends with its approval, if that is earlier. */
  readonly lifetime: number
}

/** Default lifetime of a link, in ms. */
export const LINK_LIFETIME_MS: number = 24 * 60 * 60_000

/** A new link. Only the SHA-256 of its token is stored. */
export interface ApprovalLink {
  readonly token: string
  readonly expiresAt: number
}

/** The call that a link decides. */
export interface LinkedApproval {
  readonly approval: ListedApproval
  readonly decisions: readonly LinkDecision[]
  readonly expiresAt: number
  /** The file that the call would write; `undefined` if it writes none. */
  readonly target?: WriteTarget
}

/** The stored part of a link, in the note of its run. */
interface StoredApprovalLink {
  readonly approvalId: string
  /** Digest of the arguments of the call. */
  readonly args: string
  readonly decisions: readonly LinkDecision[]
  readonly expiresAt: number
  readonly sentTo: string
}

/** Dependencies of a new link. */
interface LinkContext extends Pick<RunServiceContext, 'store' | 'approvals' | 'clock'> {
  readonly host: Pick<RunHost, 'addNote'>
}

/** Returns the address at which the holder of a link decides. Previews of the address do not send its fragment. */
export function linkUrl(page: string, token: string): string {
  return `${page}/#/decide/${encodeURIComponent(token)}`
}

/**
 * Creates a link for an open approval. Rejects with `approval_unknown` or `run_unknown`, and with `store_locked`
 * while other calls of the run are active.
 */
export async function createApprovalLink(
  { approvalId: requestedId, sentTo, decisions, lifetime, ...ref }: ApprovalLinkRequest,
  context: LinkContext,
): Promise<ApprovalLink> {
  const root = await findRun(ref, context)
  const approval = requireOpen(await context.approvals.read(root), requestedId)
  if (approval.asks !== undefined)
    throw troupeError(
      'request_invalid',
      `${approval.approvalId} asks a question, which a link cannot answer.`,
    )
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = Math.min(context.clock.now() + lifetime, approval.expiresAt)
  const link: StoredApprovalLink = {
    approvalId: approval.approvalId,
    args: digestOf(canonicalJson(approval.args)),
    decisions,
    expiresAt,
    sentTo,
  }
  await context.host.addNote(ref.runId, { [noteKey(secret)]: { ...link } })
  return { token: `${ref.runId}.${secret}`, expiresAt }
}

/** Returns the call that a link decides. Changes nothing, so that previews of the link do not use it up. */
export async function readApprovalLink(token: string, context: RunServiceContext): Promise<LinkedApproval> {
  const { approval, link } = await findLink(token, context)
  const { decisions, expiresAt } = link
  const target = await context.host.writeTarget(approval)
  return { approval, decisions, expiresAt, ...(target === undefined ? {} : { target }) }
}

/**
 * Returns the decision of the holder of a link, and the call that it decides. A call is decided only once, so
 * the link cannot be used again.
 */
export async function decisionOfLink(
  token: string,
  { decision, reason }: Pick<ApprovalDecision, 'decision' | 'reason'>,
  context: RunServiceContext,
): Promise<RunRef & { readonly approvalId: string; readonly decision: ApprovalDecision }> {
  const { approval, link, principal } = await findLink(token, context)
  if (!link.decisions.includes(decision))
    throw troupeError('request_invalid', `decision: this link only allows ${link.decisions.join(', ')}.`)
  const { runId, approvalId } = approval
  const by = { via: 'link', name: link.sentTo } as const
  return {
    runId,
    principal,
    approvalId,
    decision: { decision, ...(reason === undefined ? {} : { reason }), by },
  }
}

interface FoundLink {
  readonly approval: ListedApproval
  readonly link: StoredApprovalLink
  readonly principal: string
}

/** Finds a link that can still be used. All others have the same error, so that it reveals no runs. */
async function findLink(token: string, context: RunServiceContext): Promise<FoundLink> {
  const at = token.lastIndexOf('.')
  const runId = token.slice(0, Math.max(0, at))
  const principal = await findOwner(runId, context)
  if (principal === undefined) throw invalidLink()
  const { note = {} } = (await readRequest(context.store, runId)) ?? {}
  const link = readLink(note[noteKey(token.slice(at + 1))])
  if (link === undefined || link.expiresAt <= context.clock.now()) throw invalidLink()
  const open = await context.approvals.read(await findRun({ runId, principal }, context))
  const approval = open.find(({ approvalId }) => approvalId === link.approvalId)
  if (approval === undefined || digestOf(canonicalJson(approval.args)) !== link.args) throw invalidLink()
  return { approval, link, principal }
}

function invalidLink(): Error {
  return troupeError('approval_unknown', 'This link is not valid. It was used, or it has expired.', {
    fix: 'Ask for a new link.',
  })
}

function noteKey(secret: string): string {
  return `link:${digestOf(secret)}`
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Reads a stored link. It was written by this file, but notes are also changed by others. */
function readLink(value: Json | undefined): StoredApprovalLink | undefined {
  if (!isJsonObject(value)) return undefined
  const { approvalId, args, decisions, expiresAt, sentTo }: JsonObject = value
  if (typeof approvalId !== 'string' || typeof args !== 'string' || typeof sentTo !== 'string')
    return undefined
  if (typeof expiresAt !== 'number' || !Array.isArray(decisions)) return undefined
  const known = decisions.filter((one): one is LinkDecision => one === 'approved' || one === 'denied')
  return { approvalId, args, decisions: known, expiresAt, sentTo }
}
