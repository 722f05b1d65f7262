import type { AskedRun } from '../desk/find-run.ts'
import type { CallContext } from '../handler.ts'

/** Returns the run that the path names, with the principal of the caller. */
export function askedRun({ req, env }: CallContext): AskedRun {
  return { runId: req.param('id') ?? '', principal: env.caller.principal }
}
