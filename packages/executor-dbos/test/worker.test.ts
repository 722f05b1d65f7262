import { setTimeout as wait } from 'node:timers/promises'
import { defineAgent, type RunEvent } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { scriptedModel } from '@troupe/testkit'
import { deferred, verifies } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it } from 'vitest'
import { readWorkerOverview } from '../src/index.ts'
import { newDatabase, openServer, openWorker } from './support/cluster.ts'
import { fanOutTeam } from './support/fan-out.ts'
import { startFleet } from './support/worker-fleet.ts'

const CLERK = defineAgent({
  name: 'Clerk',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
})

const CLERK_OF_MODEL = defineAgent({
  name: 'Clerk',
  description: 'Works.',
  instruction: 'Work.',
  model: 'test/clerk',
})

function leadOf(count: number, fields = {}) {
  const model = scriptedModel((prompt) => {
    const results = prompt.filter(({ role }) => role === 'tool').length
    if (results > 0) return { text: 'All done.' }
    return {
      calls: Array.from({ length: count }, (_, index) => ({
        tool: 'agent__Clerk',
        args: { text: `n${index}` },
      })),
    }
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Clerk'],
    limits: { maxParallel: count, maxToolCallsPerTurn: count },
    default: true,
    ...fields,
  })
  return { cards: [lead, CLERK], models: { 'test/lead': model } }
}

describe.skipIf(!HAS_POSTGRES)(`a run that another process has taken over${POSTGRES_NOTE}`, () => {
  it('a worker whose run was taken over neither writes to the run nor ends it', async () => {
    const url = await newDatabase()
    const [started, answer] = [deferred(), deferred()]
    const clerk = scriptedModel(() => {
      started.resolve()
      return { text: 'Late.', wait: answer.promise }
    })
    const team = { cards: [CLERK_OF_MODEL], models: { 'test/clerk': clerk } }
    await openWorker(url, team)
    const { store, run } = await openServer(url, team)
    void run('Clerk', 'Go.', { runId: 'root' }).catch(() => undefined)
    await started.promise
    const log = await store.open('root', 'other', { takeOver: true })
    const before = await store.events('root')
    answer.resolve()
    await wait(500)
    expect(await store.events('root')).toEqual(before)
    expect(await store.query('SELECT state FROM troupe.tasks')).toEqual([{ state: 'running' }])
    await log.close()
  })
})

/** Returns the number of executions by their status in the queues. */
async function executionsOf({ query }: Pick<PostgresStore, 'query'>): Promise<Record<string, number>> {
  const rows = await query<{ readonly status: string; readonly count: string }>(
    'SELECT status, count(*) FROM troupe_dbos.workflow_status GROUP BY status',
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}

/** Returns the agents of ended runs with their outcomes, sorted. */
const endsOf = (events: readonly RunEvent[]) =>
  events
    .flatMap((event) => (event.type === 'run-end' ? `${event.agent} ${event.outcome}` : []))
    .toSorted((a, b) => a.localeCompare(b))

describe.skipIf(!HAS_POSTGRES)(`cancellation on workers${POSTGRES_NOTE}`, () => {
  it('a run that is cancelled before a worker starts it ends as cancelled', async () => {
    const url = await newDatabase()
    const server = await openServer(url, leadOf(1))
    const stop = new AbortController()
    const running = server.run('Lead', 'Go.', { runId: 'root', signal: stop.signal })
    await expect.poll(async () => (await server.store.roots()).length).toBe(1)
    stop.abort()
    expect(await running).toMatchObject({ outcome: 'cancelled' })
    expect(endsOf(await server.store.events('root'))).toEqual(['Lead cancelled'])
    expect(await executionsOf(server.store)).toEqual({ CANCELLED: 1 })
  })

  it('a cancelled run removes its queued children from the queue', async () => {
    const url = await newDatabase()
    const [started, answer] = [deferred(), deferred()]
    const clerk = scriptedModel(() => {
      started.resolve()
      return { text: 'Late.', wait: answer.promise }
    })
    const lead = leadOf(5)
    const team = {
      cards: [lead.cards[0] ?? CLERK, CLERK_OF_MODEL],
      models: { ...lead.models, 'test/clerk': clerk },
    }
    await openWorker(url, team, { slots: 1 })
    const { store, run } = await openServer(url, team)
    const stop = new AbortController()
    const running = run('Lead', 'Go.', { runId: 'root', signal: stop.signal })
    await started.promise
    await expect.poll(async () => (await store.query('SELECT 1 FROM troupe.tasks')).length).toBe(6)
    stop.abort()
    expect(await running).toMatchObject({ outcome: 'cancelled' })
    expect(endsOf(await store.events('root'))).toEqual(['Clerk cancelled', 'Lead cancelled'])
    await expect.poll(() => executionsOf(store)).toEqual({ CANCELLED: 4, SUCCESS: 2 })
  })
})

describe.skipIf(!HAS_POSTGRES)(`limits on workers${POSTGRES_NOTE}`, () => {
  it('the time limit of a child does not run while it waits for a worker', async () => {
    const url = await newDatabase()
    const { cards, models } = leadOf(6, { limits: { childTimeout: 1500, maxParallel: 6 } })
    const clerk = defineAgent({
      name: 'Clerk',
      description: 'Works.',
      instruction: 'Work.',
      model: 'test/clerk',
    })
    const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 500))
    const model = scriptedModel(async () => ({ text: 'ok', wait: pause() }))
    const team = {
      cards: [cards[0] as (typeof cards)[number], clerk],
      models: { ...models, 'test/clerk': model },
    }
    await openWorker(url, team, { slots: 1 })
    const server = await openServer(url, team)
    expect(await server.run('Lead', 'Go.')).toMatchObject({ outcome: 'completed', problems: [] })
  })

  it('a run whose maximum depth exceeds the queues of the workers is refused', async () => {
    const url = await newDatabase()
    const team = leadOf(1, { limits: { maxDepth: 4 } })
    const server = await openServer(url, team)
    await expect(server.run('Lead', 'Go.')).rejects.toMatchObject({
      code: 'usage_invalid',
      message: expect.stringContaining('up to depth 3') as unknown,
    })
  })
})

describe.skipIf(!HAS_POSTGRES)(`limits of the queues${POSTGRES_NOTE}`, () => {
  it('all workers together execute no more runs of a level than a limit below the slots of one worker', async () => {
    const url = await newDatabase()
    const { cards, models } = leadOf(4)
    let running = 0
    let most = 0
    const model = scriptedModel(() => {
      running += 1
      most = Math.max(most, running)
      const wait = new Promise<void>((resolve) => setTimeout(resolve, 100)).finally(() => {
        running -= 1
      })
      return { text: 'ok', wait }
    })
    const team = {
      cards: [cards[0] as (typeof cards)[number], CLERK_OF_MODEL],
      models: { ...models, 'test/clerk': model },
    }
    await openWorker(url, team, { slots: 16, limits: { globalConcurrency: 2, principalConcurrency: 3 } })
    const server = await openServer(url, team)
    expect(await server.run('Lead', 'Go.')).toMatchObject({ outcome: 'completed', problems: [] })
    expect(most).toBeLessThanOrEqual(2)
  })
})

describe.skipIf(!HAS_POSTGRES)(`cards on workers${POSTGRES_NOTE}`, () => {
  it(`a worker executes no run of a card that it has in another version ${verifies('C12')}`, async () => {
    const url = await newDatabase()
    const problems: string[] = []
    await openWorker(url, leadOf(1, { instruction: 'Lead well.' }), {
      onProblem: (_, { code }) => problems.push(code),
      maxPostponements: 1,
    })
    const server = await openServer(url, leadOf(1))
    expect(await server.run('Lead', 'Go.', { runId: 'root' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'run_changed' },
    })
    expect(problems).toEqual(['run_changed'])
    expect(await server.store.events('root')).toEqual([])
    const [run] = await server.store.roots()
    expect(run).toMatchObject({ rootRunId: 'root' })
    expect(run?.owner).toBeUndefined()
  })
})

describe.skipIf(!HAS_POSTGRES)(`the overview of workers${POSTGRES_NOTE}`, () => {
  it('a worker that was killed is listed until a later start', async () => {
    const url = await newDatabase()
    const team = leadOf(1)
    await openWorker(url, team)
    const { store } = await openServer(url, team)
    await store.query(
      `INSERT INTO troupe.workers (id, host, pid, slots, seen_at) VALUES ('killed', 'here', 1, 16, now() - interval '2 minutes')`,
    )
    const [current] = (await readWorkerOverview(store)).workers.filter(({ id }) => id !== 'killed')
    expect((await readWorkerOverview(store)).workers).toHaveLength(2)
    await startFleet(url, { folder: (await fanOutTeam(1, { waitMs: 1 })).folder, count: 1 })
    await expect
      .poll(async () => (await readWorkerOverview(store)).workers.map(({ id }) => id))
      .not.toContain('killed')
    expect((await readWorkerOverview(store)).workers).toContainEqual(
      expect.objectContaining({ id: current?.id }),
    )
  })
})

describe.skipIf(!HAS_POSTGRES)(`secrets on workers${POSTGRES_NOTE}`, () => {
  it('no table has the value of a secret that the input of a run contains', async () => {
    const url = await newDatabase()
    const secret = 'canary-4711-canary'
    const options = { ...leadOf(2), env: { CANARY_TOKEN: secret } }
    const cards = options.cards.map((card) =>
      defineAgent({
        name: card.name,
        description: 'Works.',
        instruction: card.instruction,
        model: card.name === 'Lead' ? 'test/lead' : 'passthrough',
        env: ['CANARY_TOKEN'],
        ...(card.name === 'Lead' ? { agents: ['Clerk'], default: true } : {}),
      }),
    )
    const team = { ...options, cards }
    await openWorker(url, team)
    const server = await openServer(url, team)
    await server.run('Lead', `Use ${secret}.`)
    const tables = await server.store.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
       WHERE schemaname IN ('troupe', 'troupe_dbos')`,
    )
    expect(tables.length).toBeGreaterThan(10)
    for (const { name } of tables) {
      const rows = await server.store.query(
        `SELECT t::text AS row FROM ${name} AS t WHERE t::text LIKE '%' || $1 || '%'`,
        [secret],
      )
      expect([name, rows]).toEqual([name, []])
    }
  })
})
