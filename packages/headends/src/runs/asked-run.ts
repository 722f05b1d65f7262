import type { AskedRun } from '../desk/find-run.ts'
import type { CallContext } from '../handler.ts'

/** The run that a path names, and who asks for it. */
export function askedRun({ req, env }: CallContext): AskedRun {
  return { runId: req.param('id') ?? '', principal: env.caller.principal }
}
