import { troupeError, type ApprovalDecision } from '@troupe/schema'
import { z } from 'zod'
import { isOperator, type Handler } from '../headend/headend.ts'
import { requireJson } from '../request/read-json.ts'
import { listedApprovalShape, writeTargetShape } from '../routes/shapes.ts'
import { LINK_LIFETIME_MS, linkUrl } from '../run-service/approval-links.ts'
import type { RunService } from '../run-service/run-service.ts'
import { runRefOf } from './run-handlers.ts'
import { duration } from './run-bodies.ts'

/** Returns true for the paths that the holder of a link uses without a token. */
export function isLinkPath(path: string): boolean {
  return path === '/api/links/open' || path === '/api/links/decide'
}

const decisionShape = z.enum(['approved', 'denied'])
const tokenShape = z.string().min(1).max(500)

/** Body of a request for a link. */
interface LinkBody {
  readonly sentTo: string
  readonly decisions?: readonly ApprovalDecision['decision'][] | undefined
  readonly expiresIn?: number | undefined
}

/** Schema of the body of `POST /api/runs/:id/approvals/:approvalId/link`. */
export const linkBody: z.ZodType<LinkBody> = z
  .strictObject({
    sentTo: z.string().min(1).max(200).meta({ description: 'The receiver, for the log of decisions.' }),
    decisions: z.array(decisionShape).min(1).max(2).optional().meta({ description: 'Default: both.' }),
    expiresIn: duration.optional(),
  })
  .meta({ id: 'LinkBody' })

/** Schema of a new link. */
export const linkShape: z.ZodType = z
  .object({
    url: z.string().meta({ description: 'Address of the page. The token is in the fragment.' }),
    token: z.string(),
    expiresAt: z.number().meta({ description: 'In ms since 1970.' }),
  })
  .meta({ id: 'ApprovalLink' })

/** Schema of the body of `POST /api/links/open`. */
export const openLinkBody: z.ZodType<{ readonly token: string }> = z
  .strictObject({ token: tokenShape })
  .meta({ id: 'OpenLinkBody' })

/** Schema of the call that a link decides. */
export const linkedApprovalShape: z.ZodType = z
  .object({
    approval: listedApprovalShape,
    decisions: z.array(decisionShape),
    expiresAt: z.number().meta({ description: 'When the link expires, in ms since 1970.' }),
    target: writeTargetShape.optional(),
  })
  .meta({ id: 'LinkedApproval' })

/** Schema of the body of `POST /api/links/decide`. */
export const decideLinkBody: z.ZodType<{
  readonly token: string
  readonly decision: ApprovalDecision['decision']
  readonly reason?: string | undefined
}> = z
  .strictObject({ token: tokenShape, decision: decisionShape, reason: z.string().max(1000).optional() })
  .meta({ id: 'DecideLinkBody' })

const NO_STORE = { headers: { 'cache-control': 'no-store' } }

/** Handles `POST /api/runs/:id/approvals/:approvalId/link`. Only operators can create links. */
export function linkHandler(
  runService: Pick<RunService, 'createLink' | 'ownerOf'>,
  publicUrl: string | undefined,
): Handler {
  return async (call) => {
    if (!isOperator(call.env.caller))
      throw troupeError('operator_required', 'Only an operator can create links for approvals.')
    const {
      sentTo,
      decisions = ['approved', 'denied'],
      expiresIn = LINK_LIFETIME_MS,
    } = await requireJson(call.req.raw, linkBody)
    const ref = await runRefOf(call, runService)
    const approvalId = call.req.param('approvalId') ?? ''
    const link = await runService.createLink({ ...ref, approvalId, sentTo, decisions, lifetime: expiresIn })
    const url = linkUrl(publicUrl ?? new URL(call.req.url).origin, link.token)
    return Response.json({ url, ...link }, NO_STORE)
  }
}

/** Handles `POST /api/links/open`: returns what the link decides, and changes nothing. */
export function openLinkHandler(runService: Pick<RunService, 'readLink'>): Handler {
  return async ({ req }) => {
    const { token } = await requireJson(req.raw, openLinkBody)
    return Response.json(await runService.readLink(token), NO_STORE)
  }
}

/** Handles `POST /api/links/decide`. */
export function decideLinkHandler(runService: Pick<RunService, 'decideByLink'>): Handler {
  return async ({ req }) => {
    const { token, decision, reason } = await requireJson(req.raw, decideLinkBody)
    const decided = { decision, ...(reason === undefined ? {} : { reason }) }
    return Response.json(await runService.decideByLink(token, decided), NO_STORE)
  }
}
