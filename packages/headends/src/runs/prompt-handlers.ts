import { troupeError, type TroupeError } from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { runRefOf } from './run-ref-of.ts'
import { forkBody } from './run-bodies.ts'
import { startedResponse } from './started-response.ts'

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
  return troupeError('card_read_only', 'Prompts are read and changed by who runs the server.')
}
