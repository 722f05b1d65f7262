import type { RunEvent } from '@troupe/schema'
import { openPostgresStore, type PostgresStore } from '@troupe/store-postgres'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { readEvents } from './support/read-events.ts'
import { sender } from './support/sender.ts'
import { leadAndClerk, serveTeam, type ServedTeam } from './support/serve-team.ts'
import { slowAgent } from './support/slow-agent.ts'

/** Opens stores on one new database, as two servers do. */
async function openStores(): Promise<readonly [PostgresStore, PostgresStore]> {
  const { url, drop } = await createDatabase(inject('postgres'))
  onTestFinished(drop)
  const open = async (pid: number): Promise<PostgresStore> => {
    const store = await openPostgresStore({
      url,
      clock: SYSTEM_CLOCK,
      random: Math.random,
      writer: { token: `server ${pid}`, pid, host: 'here', isAlive: () => true },
    })
    onTestFinished(() => store.close())
    return store
  }
  return [await open(1), await open(2)]
}

async function post({ url }: ServedTeam, path: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function start(team: ServedTeam, agent: string): Promise<string> {
  const response = await post(team, '/api/runs', { agent, input: 'go' })
  return ((await response.json()) as { readonly runId: string }).runId
}

/** Follows a run over HTTP and records its events. */
function follow({ url }: ServedTeam, runId: string) {
  const events: RunEvent[] = []
  const read = async (): Promise<void> => {
    const response = await fetch(`${url}/api/runs/${runId}/events`)
    for await (const { data } of readEvents(response)) events.push(data as RunEvent)
  }
  return { events, ended: read() }
}

const isDurable = ({ seq }: RunEvent): boolean => seq !== undefined

it.skipIf(!HAS_POSTGRES)(
  `a run that has ended in a PostgreSQL store passes all its events to a resume, from the first to the last${POSTGRES_NOTE}`,
  async () => {
    const [store] = await openStores()
    const { host } = await serveTeam({ ...leadAndClerk(), store })
    const { runId } = await host.run('Lead', 'go')
    const events: RunEvent[] = []
    await host.resume(runId, { onEvent: (event) => events.push(event) })
    expect(events.length).toBeGreaterThan(10)
    expect(events).toEqual(await store.events(runId))
  },
)

describe.skipIf(!HAS_POSTGRES)(`two servers with one PostgreSQL store${POSTGRES_NOTE}`, () => {
  it('a run started on one server is followed live on the other one, to its end', async () => {
    const [store, other] = await openStores()
    const slow = slowAgent()
    const first = await serveTeam({ ...slow, store })
    const second = await serveTeam({ ...slow, store: other })
    const runId = await start(first, 'Slow')
    await slow.begun
    const [here, there] = [follow(first, runId), follow(second, runId)]
    await expect.poll(() => there.events.at(-1)?.type).toBe('turn-start')
    slow.answer()
    await Promise.all([here.ended, there.ended])
    expect(there.events).toEqual(here.events.filter(isDurable))
    expect(there.events.map(({ seq }) => seq)).toEqual(there.events.map((_, index) => index + 1))
    expect(there.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
    expect(second.errors).toEqual([])
  })

  it('a call of a run that one server suspended is approved on the other one, which resumes the run', async () => {
    const [store, other] = await openStores()
    const team = sender()
    const first = await serveTeam({ ...team, store })
    const second = await serveTeam({ ...team, store: other })
    const runId = await start(first, 'Sender')
    const here = follow(first, runId)
    await expect.poll(() => here.events.at(-1)?.type).toBe('run-waiting')
    const { approvals } = (await (await fetch(`${second.url}/api/approvals`)).json()) as {
      readonly approvals: readonly { readonly approvalId: string }[]
    }
    const approvalId = encodeURIComponent(approvals[0]?.approvalId ?? '')
    await post(second, `/api/runs/${runId}/approvals/${approvalId}`, { decision: 'approved' })
    await here.ended
    expect(team.sent).toEqual(['"Ada"'])
    expect(here.events.filter(isDurable)).toEqual(await other.events(runId))
    expect(here.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
  })
})
