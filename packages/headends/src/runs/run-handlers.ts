import { troupeError, type TroupeError } from '@troupe/schema'
import type { Handler, HandlerContext } from '../headend/headend.ts'
import { requireJson } from '../request/read-json.ts'
import type { RunRef } from '../run-service/find-run.ts'
import type { RunService } from '../run-service/run-service.ts'
import { decisionBody, forkBody } from './run-bodies.ts'
import { startedResponse } from './start-handler.ts'

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

/** Dependencies of the prompt handlers. */
export interface PromptHandlers {
  readonly runService: Pick<RunService, 'fork' | 'prompts'>
  /** Returns true if the principal may read prompts and change them in its forks. */
  mayEdit(principal: string): boolean
}

/** Handles `POST /api/runs/:id/fork`. Changed prompts need the permission to edit. */
export function forkHandler({ runService, mayEdit }: PromptHandlers): Handler {
  return async (call) => {
    const { at, acceptChanges = false, prompts = {} } = await requireJson(call.req.raw, forkBody)
    const { runId, principal } = runRefOf(call)
    if (Object.keys(prompts).length > 0 && !mayEdit(principal)) throw editForbidden()
    return startedResponse(await runService.fork({ runId, at, acceptChanges, prompts }, principal))
  }
}

/** Handles `GET /api/runs/:id/prompts`. */
export function promptsHandler({ runService, mayEdit }: PromptHandlers): Handler {
  return async (call) => {
    const { runId, principal } = runRefOf(call)
    if (!mayEdit(principal)) throw editForbidden()
    return Response.json({ prompts: await runService.prompts(runId, principal) })
  }
}

function editForbidden(): TroupeError {
  return troupeError('card_read_only', 'Only the operator of the server can read and change prompts.')
}

/** Returns the run that the path names, with the principal of the caller. */
export function runRefOf({ req, env }: HandlerContext): RunRef {
  return { runId: req.param('id') ?? '', principal: env.caller.principal }
}
