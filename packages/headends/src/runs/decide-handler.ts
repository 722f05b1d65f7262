import type { RunDesk } from '../desk/run-desk.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { askedRun } from './asked-run.ts'
import { decisionWish } from './run-wish.ts'

/** Handles `POST /api/runs/:id/approvals/:approvalId`. */
export function decideHandler(desk: Pick<RunDesk, 'decide'>): Handler {
  return async (call) => {
    const wish = await requireJson(call.req.raw, decisionWish)
    const { decision } = wish
    const { runId, principal } = askedRun(call)
    const approvalId = call.req.param('approvalId') ?? ''
    const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
    await desk.decide({ runId, approvalId, decision: { ...given, decision } }, principal)
    return Response.json({ runId, approvalId, decision })
  }
}
