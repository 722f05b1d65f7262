import { troupeError, type Clock } from '@troupe/schema'
import { z } from 'zod'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import { isOperator, type Handler } from '../headend/headend.ts'
import { readQuery, type QuerySchema } from '../request/read-json.ts'
import type { RunService } from '../run-service/run-service.ts'
import { ownerQuery, requestedOwner } from '../run-service/run-access.ts'
import { eventStream } from '../sse/event-stream.ts'
import { openChangeStream } from './change-stream.ts'
import type { ChangeWatch } from './watch-changes.ts'

/** Maximum number of runs that one stream follows. */
const MAX_RUNS = 50
const RUNS = `runs: must be a JSON object of at most ${MAX_RUNS} run ids and numbers, such as {"run_1": 0}.`

const positions = z
  .record(z.string().min(1).max(200), z.number().int().nonnegative())
  .refine((runs) => Object.keys(runs).length <= MAX_RUNS)

/** Schema of the query of `GET /api/changes`. */
export const changesQuery: QuerySchema<{
  readonly runs?: string | undefined
  readonly principal?: string | undefined
}> = z.strictObject({
  runs: z
    .string()
    .max(12_000)
    .optional()
    .meta({ description: 'Runs to follow too: a JSON object with the last `seq` that you have by run id.' }),
  principal: ownerQuery,
})

/** Handles `GET /api/changes`: streams what changes in the lists of runs, approvals and others. */
export function changesHandler({
  clock,
  watch,
  feeds,
  runService,
}: {
  readonly clock: Clock
  readonly watch: ChangeWatch
  readonly feeds: EventFeeds
  readonly runService: Pick<RunService, 'readState' | 'ownerOf'>
}): Handler {
  return async ({ req, env: { caller } }) => {
    const { runs, principal } = readQuery(req.url, changesQuery)
    const stream = await openChangeStream(
      {
        scope: { principal: requestedOwner(principal, caller), isOperator: isOperator(caller) },
        after: req.header('last-event-id'),
        runs: readPositions(runs),
        caller,
      },
      { watch, feeds, runService },
    )
    return eventStream(stream, { clock, caller, heartbeatMs: HEARTBEAT_MS })
  }
}

/**
 * Time without changes after which a heartbeat is sent, in ms. Shorter than that of other streams, because the page
 * notices by it within 15 seconds that the network has failed.
 */
const HEARTBEAT_MS = 5000

function readPositions(text: string | undefined): ReadonlyMap<string, number> {
  if (text === undefined) return new Map()
  const parsed = positions.safeParse(parseJson(text))
  if (!parsed.success) throw troupeError('request_invalid', RUNS)
  return new Map(Object.entries(parsed.data))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw troupeError('request_invalid', RUNS)
  }
}
