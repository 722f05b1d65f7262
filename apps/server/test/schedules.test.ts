import { join } from 'node:path'
import { openSqliteStore } from '@troupe/store'
import { defineAgent, type Clock } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { deferred, tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { writeFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const SCHEDULE = { cron: '0 9 * * *', timeZone: 'Europe/Berlin', input: 'Good morning' }
const CLERK = defineAgent({
  name: 'Clerk',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'passthrough',
  schedule: SCHEDULE,
})

/** Returns a clock that shows this time when it is created. */
function clockAt(time: string): Clock {
  const offset = Date.parse(time) - Date.now()
  return { ...SYSTEM_CLOCK, now: () => Date.now() + offset }
}

interface Listed {
  readonly name: string
  readonly isPaused: boolean
  readonly next?: number
  readonly last?: { readonly due: number; readonly runId: string; readonly state: string }
}

async function list({ url }: Pick<ServedTeam, 'url'>): Promise<readonly Listed[]> {
  const body = (await (await fetch(`${url}/api/schedules`)).json()) as {
    readonly schedules: readonly Listed[]
  }
  return body.schedules
}

async function post(team: Pick<ServedTeam, 'url'>, action: string, token?: string): Promise<Response> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return fetch(`${team.url}/api/schedules/${action}`, { method: 'POST', headers })
}

async function openStore(path: string, token: string): Promise<RunStore> {
  const writer = { token, pid: process.pid, host: token, isAlive: () => true }
  return openSqliteStore({ path, clock: SYSTEM_CLOCK, random: Math.random, writer })
}

describe('schedules of a server', () => {
  it('a schedule starts a run of the operator that names the schedule and the due time', async () => {
    const team = await serveTeam({ cards: [CLERK], clock: clockAt('2026-05-01T06:59:59.700Z') })
    await expect.poll(async () => (await list(team))[0]?.last?.state).toBe('started')
    const [schedule] = await list(team)
    const due = Date.parse('2026-05-01T07:00:00Z')
    expect(schedule).toMatchObject({ name: 'Clerk', isPaused: false, next: due + 86_400_000, last: { due } })
    const { runId = '' } = schedule?.last ?? {}
    const run = (await (await fetch(`${team.url}/api/runs/${runId}`)).json()) as object
    expect(run).toMatchObject({ agent: 'Clerk', input: 'Good morning' })
    expect((await team.store.steps(runId, runId)).get('begin')).toMatchObject({
      principal: 'local',
      note: { detached: true, schedule: { name: 'Clerk', due: '2026-05-01T07:00:00.000Z' } },
    })
    expect(team.errors).toEqual([])
  })

  it('a run of a schedule has the priority of the schedule', async () => {
    const card = defineAgent({ ...pickFields(), name: 'Clerk', schedule: { ...SCHEDULE, priority: 500 } })
    const team = await serveTeam({ cards: [card], clock: clockAt('2026-05-01T12:00:00Z') })
    const { runId } = (await (await post(team, 'Clerk/run')).json()) as { readonly runId: string }
    expect((await team.store.steps(runId, runId)).get('queued')).toMatchObject({ priority: 500 })
    expect(await list(team)).toMatchObject([{ priority: 500 }])
  })

  it('a schedule is run by hand, paused and resumed', async () => {
    const team = await serveTeam({ cards: [CLERK], clock: clockAt('2026-05-01T12:00:00Z') })
    const paused = await post(team, 'Clerk/pause')
    expect([paused.status, await paused.json()]).toEqual([200, { name: 'Clerk', isPaused: true }])
    expect(await list(team)).toMatchObject([{ isPaused: true }])
    expect((await list(team))[0]?.next).toBeUndefined()
    const run = await post(team, 'Clerk/run')
    const { runId } = (await run.json()) as { readonly runId: string }
    expect(run.status).toBe(202)
    expect(await list(team)).toMatchObject([{ last: { runId, state: 'started' } }])
    expect((await fetch(`${team.url}/api/runs/${runId}`)).status).toBe(200)
    const resumed = await post(team, 'Clerk/resume')
    expect([resumed.status, await resumed.json()]).toEqual([200, { name: 'Clerk', isPaused: false }])
    const unknown = await post(team, 'Cleric/run')
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: 'schedule_unknown' } },
    ])
  })

  it('schedules belong to the operator', async () => {
    const team = await serveTeam({
      cards: [CLERK],
      clock: clockAt('2026-05-01T12:00:00Z'),
      tokens: [{ token: 'token-of-ada-12345', principal: 'ada' }],
    })
    const refused = await post(team, 'Clerk/run', 'token-of-ada-12345')
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: 'operator_required' } },
    ])
    expect((await post(team, 'Clerk/run')).status).toBe(401)
    const headers = { authorization: 'Bearer token-of-ada-12345' }
    expect(await (await fetch(`${team.url}/api/schedules`, { headers })).json()).toEqual({ schedules: [] })
  })

  it('a server without schedules starts no run', async () => {
    const clock = clockAt('2026-05-01T06:59:59.900Z')
    const team = await serveTeam({ cards: [CLERK], clock, without: ['schedules'] })
    await expect.poll(() => clock.now()).toBeGreaterThan(Date.parse('2026-05-01T07:00:01Z'))
    expect((await fetch(`${team.url}/api/schedules`)).status).toBe(404)
    expect(await team.store.roots()).toEqual([])
  })

  it('a server runs the schedules of the agents that it serves', async () => {
    const poet = defineAgent({ ...pickFields(), name: 'Poet' })
    const team = await serveTeam({
      cards: [CLERK, poet],
      clock: clockAt('2026-05-01T12:00:00Z'),
      agents: ['Poet'],
    })
    expect(await list(team)).toMatchObject([{ name: 'Poet' }])
  })

  it('a reload of the team reloads its schedules', async () => {
    const text = (name: string): string =>
      `---\nname: Clerk\ndescription: d\nmodel: passthrough\nschedule: {name: ${name}, cron: 0 9 * * *, input: Go}\n---\nRepeat.\n`
    const project = await tempProject({ 'clerk.md': text('early') })
    onTestFinished(() => project.remove())
    const team = await serveTeam({
      cards: ['.'],
      hostOptions: { cwd: project.path },
      clock: clockAt('2026-05-01T12:00:00Z'),
    })
    expect(await list(team)).toMatchObject([{ name: 'early' }])
    await writeFile(join(project.path, 'clerk.md'), text('late'))
    await team.host.reload()
    expect(await list(team)).toMatchObject([{ name: 'late' }])
  })

  it('a schedule that skips sees the runs of other servers of the store, and pauses apply to all', async () => {
    const project = await tempProject({})
    onTestFinished(() => project.remove())
    const path = join(project.path, 'runs.db')
    const gate = deferred()
    const models = { slow: scriptedModel(() => ({ text: 'done', wait: gate.promise })) }
    const slow = defineAgent({ ...pickFields(), model: 'test/slow', name: 'Slow' })
    const serve = async (token: string, time: string): Promise<ServedTeam> =>
      serveTeam({ cards: [slow], models, store: await openStore(path, token), clock: clockAt(time) })
    const one = await serve('one', '2026-05-01T06:30:00Z')
    expect((await post(one, 'Slow/run')).status).toBe(202)
    const two = await serve('two', '2026-05-01T06:59:59.500Z')
    await expect.poll(async () => (await list(two))[0]?.last?.state).toBe('skipped')
    expect((await list(one))[0]?.last).toEqual((await list(two))[0]?.last)
    await post(two, 'Slow/pause')
    expect(await list(one)).toMatchObject([{ isPaused: true }])
    gate.resolve()
  })
})

function pickFields() {
  return { description: 'd', instruction: 'i', model: 'passthrough', schedule: SCHEDULE }
}
