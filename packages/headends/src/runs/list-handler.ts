import type { RunDesk } from '../desk/run-desk.ts'
import type { Handler } from '../handler.ts'
import { readCount } from './read-count.ts'

const LIMIT = { what: 'limit: this is no number of runs', most: 500, fallback: 50 } as const

/** `GET /api/runs`: those of the caller, the last begun first. */
export function listHandler(desk: Pick<RunDesk, 'list'>): Handler {
  return async ({ req, env }) => {
    const limit = readCount(req.query('limit'), LIMIT)
    return Response.json({ runs: await desk.list(env.caller.principal, limit) })
  }
}
