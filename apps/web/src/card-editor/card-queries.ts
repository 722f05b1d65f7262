import type { CardRevision, Json, Run } from '@troupe/client'
import { client } from '../api/client.ts'
import { isOpenRun, type ApiQuery } from '../api/queries.ts'

/** Returns the query of the JSON Schema of cards. */
export function cardSchemaQuery(agent: string): ApiQuery<{ readonly [key: string]: Json }> {
  return { key: 'card schema', load: (options) => client.cards.schema(agent, options) }
}

/** Returns the query of the earlier versions of a card. `version` is that of the current text. */
export function revisionsQuery(agent: string, version: string): ApiQuery<readonly CardRevision[]> {
  return {
    key: `revisions ${agent} ${version}`,
    load: (options) => client.cards.revisions(agent, options),
  }
}

/** Returns the query of the newest run of an agent that has ended and tried no unsaved card. */
export function lastRunQuery(agent: string): ApiQuery<Run | null> {
  return {
    key: `last run ${agent}`,
    async load(options) {
      const { runs } = await client.runs.list({ agent, limit: LAST_RUNS, ...options })
      for (const { runId } of runs.filter((run) => !isOpenRun(run) && run.detail === 'full')) {
        const run = await client.runs.get(runId, options)
        if (run.isTrial !== true) return run
      }
      return null
    },
  }
}

/** Number of runs among which the last one that is no trial is searched. */
const LAST_RUNS = 20
