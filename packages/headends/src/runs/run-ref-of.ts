import type { RunRef } from '../run-service/find-run.ts'
import type { HandlerContext } from '../handler.ts'

/** Returns the run that the path names, with the principal of the caller. */
export function runRefOf({ req, env }: HandlerContext): RunRef {
  return { runId: req.param('id') ?? '', principal: env.caller.principal }
}
