import type { RunService } from '../run-service/run-service.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { runRefOf } from './run-ref-of.ts'
import { decisionBody } from './run-bodies.ts'

/** Handles `POST /api/runs/:id/approvals/:approvalId`. */
export function decideHandler(runService: Pick<RunService, 'decide'>): Handler {
  return async (call) => {
    const body = await requireJson(call.req.raw, decisionBody)
    const { decision } = body
    const { runId, principal } = runRefOf(call)
    const approvalId = call.req.param('approvalId') ?? ''
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    await runService.decide({ runId, approvalId, decision: { ...given, decision } }, principal)
    return Response.json({ runId, approvalId, decision })
  }
}
