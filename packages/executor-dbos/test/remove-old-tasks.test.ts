import { defineAgent } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { expect, it } from 'vitest'
import { openRunQueues } from '../src/tasks/run-queues.ts'
import { removeOldTasks } from '../src/worker/remove-old-tasks.ts'
import { newDatabase, openServer, openWorker } from './support/cluster.ts'

const ECHO = defineAgent({
  name: 'Echo',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})

it.skipIf(!HAS_POSTGRES)(
  `tasks of run trees that ended a day ago are removed with their workflows, and the runs stay${POSTGRES_NOTE}`,
  async () => {
    const url = await newDatabase()
    const team = { cards: [ECHO] }
    await openWorker(url, team)
    const { run, store } = await openServer(url, team)
    await run('Echo', 'Hi', { runId: 'old' })
    await run('Echo', 'Hi', { runId: 'new' })
    await store.query(`UPDATE troupe.tasks SET ended_at = now() - interval '25 hours' WHERE run_id = 'old'`)
    const queues = await openRunQueues({ url, poolSize: 1 })
    const clock = fakeClock()
    const errors: unknown[] = []
    const stop = removeOldTasks({ store, queues, clock, onError: (thrown) => errors.push(thrown) })
    await clock.advance(600_000)
    const ids = async (table: string, column: string) =>
      (await store.query<{ id: string }>(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)).map(
        ({ id }) => id,
      )
    await expect.poll(() => ids('troupe.tasks', 'run_id')).toEqual(['new'])
    expect(await ids('troupe.trees', 'root_run_id')).toEqual(['new'])
    expect(await ids('troupe_dbos.workflow_status', 'workflow_uuid')).toEqual(['new'])
    expect((await store.events('old')).at(-1)).toMatchObject({ type: 'run-end' })
    expect(errors).toEqual([])
    stop()
    await queues.close()
  },
)
