import { troupeError, type TroupeError } from '@troupe/schema'
import type { RunDesk } from '../desk/run-desk.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { askedRun } from './asked-run.ts'
import { forkWish } from './run-wish.ts'
import { toStarted } from './to-started.ts'

/** Dependencies of the prompt handlers. */
export interface PromptHandlers {
  readonly desk: Pick<RunDesk, 'fork' | 'prompts'>
  /** Returns true if the principal may read prompts and change them in its forks. */
  mayEdit(principal: string): boolean
}

/** Handles `POST /api/runs/:id/fork`. Changed prompts need the permission to edit. */
export function forkHandler({ desk, mayEdit }: PromptHandlers): Handler {
  return async (call) => {
    const { at, acceptChanges = false, prompts = {} } = await requireJson(call.req.raw, forkWish)
    const { runId, principal } = askedRun(call)
    if (Object.keys(prompts).length > 0 && !mayEdit(principal)) throw notTheirs()
    return toStarted(await desk.fork({ runId, at, acceptChanges, prompts }, principal))
  }
}

/** Handles `GET /api/runs/:id/prompts`. */
export function promptsHandler({ desk, mayEdit }: PromptHandlers): Handler {
  return async (call) => {
    const { runId, principal } = askedRun(call)
    if (!mayEdit(principal)) throw notTheirs()
    return Response.json({ prompts: await desk.prompts(runId, principal) })
  }
}

function notTheirs(): TroupeError {
  return troupeError('card_read_only', 'Prompts are read and changed by who runs the server.')
}
