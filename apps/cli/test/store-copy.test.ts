import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RunReport } from '@troupe/schema'
import { openSqliteStore } from '@troupe/store'
import { fakeClock, sampleEvent } from '@troupe/testkit/internal'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { shell, type Shell, type Told } from './shell.ts'
import { TIME_TEAM } from './team.ts'

const CHAT = { sessionId: 'talk', principal: 'ann' }

async function startRun({ run }: Shell, ...args: readonly string[]): Promise<string> {
  return (JSON.parse((await run('run', 'team', 'x', '--json', ...args)).out) as RunReport).runId
}

async function openFile({ path }: Shell, file: string, { pid = 7 } = {}) {
  const store = await openSqliteStore({
    path: join(path, file),
    clock: fakeClock(),
    random: Math.random,
    writer: { token: `test ${Math.random()}`, pid, host: 'here', isAlive: () => true },
  })
  onTestFinished(() => store.close())
  return store
}

/** Prints everything that a store holds of its runs. */
async function dump({ run }: Shell, store: string): Promise<readonly string[]> {
  const { out } = await run('runs', 'list', '--store', store, '--json')
  const ids = (JSON.parse(out) as readonly { readonly runId: string }[]).map(({ runId }) => runId)
  const exports: string[] = [out]
  for (const id of ids) exports.push((await run('runs', 'export', id, '--store', store)).out)
  return exports
}

const summaryOf = ({ out }: Told): unknown => JSON.parse(out)

describe('troupe store copy', () => {
  it('troupe store copy copies runs whole and in order, and skips those that the target has', async () => {
    const place = await shell({
      ...TIME_TEAM,
      'quiet/one.md': '---\nname: q\ndescription: q.\nmodel: passthrough\nstore: metadata\n---\nGo.\n',
    })
    for (const args of [[], ['--session', 'talk'], []]) await startRun(place, '--store', 'a.db', ...args)
    await place.run('run', 'quiet/one.md', 'x', '--store', 'a.db')
    const source = await openFile(place, 'a.db')
    const label = { value: 'down', note: 'Wrong.' } as const
    const labelled = (await source.roots())[1]?.rootRunId ?? ''
    await source.setLabel(labelled, label)
    const talk = { sessionId: 'talk', principal: 'local' }
    await source.sessions.set(talk, { name: 'Trip', archived: true })
    const first = await place.run('store', 'copy', 'a.db', 'b.db')
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/^4 runs copied \(\d+ events\)\n$/u)
    expect(await dump(place, 'b.db')).toEqual(await dump(place, 'a.db'))
    const target = await openFile(place, 'b.db')
    const labels = (await target.roots()).flatMap((root) =>
      root.label === undefined ? [] : [[root.rootRunId, root.label]],
    )
    expect(labels).toEqual([[labelled, label]])
    expect(await target.sessions.list()).toEqual([{ ...talk, name: 'Trip', archived: true }])
    await startRun(place, '--store', 'a.db')
    const second = await place.run('store', 'copy', 'a.db', 'b.db')
    expect(second.out).toMatch(/^1 run copied \(\d+ events\), 4 skipped because the target has them\n$/u)
    expect(await dump(place, 'b.db')).toEqual(await dump(place, 'a.db'))
  })

  it('troupe store copy skips runs in progress, reports a damaged run and copies the others', async () => {
    const place = await shell(TIME_TEAM)
    const ids = [await startRun(place, '--store', 'a.db'), await startRun(place, '--store', 'a.db')]
    const database = new DatabaseSync(join(place.path, 'a.db'))
    database.exec(`UPDATE pieces SET events = replace(events, '"agent"', '"agemt"') WHERE root = 1`)
    database.close()
    const store = await openFile(place, 'a.db')
    const log = await store.open('active', 'me', { session: CHAT })
    log.append({ runId: 'active', event: sampleEvent('run-start') })
    await log.waitForCommit()
    const { code, out, err } = await place.run('store', 'copy', 'a.db', 'b.db', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      copied: 1,
      open: 1,
      failed: [{ runId: ids[0], code: 'store_corrupt' }],
    })
    expect(err).toContain(`${ids[0]}: `)
    const target = await openFile(place, 'b.db')
    expect((await target.roots()).map(({ rootRunId }) => rootRunId)).toEqual([ids[1]])
  })

  it('troupe store copy completes a copy that was interrupted, and leaves a run alone that continued in the target', async () => {
    const place = await shell(TIME_TEAM)
    const id = await startRun(place, '--store', 'a.db')
    const [source, target] = [await openFile(place, 'a.db'), await openFile(place, 'b.db')]
    const events = await source.events(id)
    const partial = await target.open(id, 'me')
    for (const { seq: _, ...event } of events.slice(0, 3))
      partial.append({ runId: event.runId, event, step: { key: 'stale', value: 1 } })
    await partial.close()
    const other = await target.open('other', 'me')
    other.append({ runId: 'other', event: sampleEvent('run-end') })
    await other.close()
    expect(summaryOf(await place.run('store', 'copy', 'a.db', 'b.db', '--json'))).toMatchObject({ copied: 1 })
    expect(await target.events(id)).toEqual(events)
    expect(await target.steps(id, id)).toEqual(await source.steps(id, id))
    await target.purge([id])
    const changed = await target.open(id, 'me')
    changed.append({ runId: id, event: sampleEvent('turn-start') })
    await changed.close()
    expect(summaryOf(await place.run('store', 'copy', 'a.db', 'b.db', '--json'))).toMatchObject({
      copied: 0,
      existing: 1,
    })
    expect(await target.events(id)).toHaveLength(1)
  })

  it('troupe store copy copies a run that is accepted but has not started', async () => {
    const place = await shell({})
    const source = await openFile(place, 'a.db')
    const log = await source.open('later', 'me', { session: CHAT })
    log.append({ runId: 'later', step: { key: 'queued', value: { input: 'Count.' } } })
    await log.close()
    expect(summaryOf(await place.run('store', 'copy', 'a.db', 'b.db', '--json'))).toMatchObject({ copied: 1 })
    const target = await openFile(place, 'b.db')
    expect(Object.fromEntries(await target.steps('later', 'later'))).toEqual({ queued: { input: 'Count.' } })
    expect(await target.roots(CHAT)).toMatchObject([{ rootRunId: 'later', lastSeq: 0 }])
  })

  it('troupe store copy reports a session that is busy in the target, and leaves nothing of the run', async () => {
    const place = await shell(TIME_TEAM)
    await startRun(place, '--store', 'a.db', '--session', 'talk')
    const target = await openFile(place, 'b.db')
    await target.open('active', 'me', { session: { sessionId: 'talk', principal: 'local' } })
    const { code, out } = await place.run('store', 'copy', 'a.db', 'b.db', '--json')
    expect([code, summaryOf({ code, out, err: '' })]).toMatchObject([
      1,
      { failed: [{ code: 'session_busy' }] },
    ])
    expect(await target.roots()).toHaveLength(1)
  })

  it('troupe store copy fails if the source does not exist, and creates no file', async () => {
    const place = await shell({})
    const { code, err } = await place.run('store', 'copy', 'a.db', 'b.db')
    expect(code).toBe(1)
    expect(err).toContain('a.db: no runs are saved there.')
    expect([existsSync(join(place.path, 'a.db')), existsSync(join(place.path, 'b.db'))]).toEqual([
      false,
      false,
    ])
  })
})

describe.skipIf(!HAS_POSTGRES)(`a PostgreSQL store of the program${POSTGRES_NOTE}`, () => {
  async function database(): Promise<string> {
    const { url, drop } = await createDatabase(inject('postgres'))
    onTestFinished(drop)
    return url.replace('postgres@', 'postgres:hunter2@')
  }

  it('runs move from a file to PostgreSQL and back, equal to the originals', async () => {
    const place = await shell(TIME_TEAM)
    const url = await database()
    for (const args of [[], ['--session', 'talk']]) await startRun(place, '--store', 'a.db', ...args)
    expect((await place.run('store', 'copy', 'a.db', url)).code).toBe(0)
    expect(await dump(place, url)).toEqual(await dump(place, 'a.db'))
    await startRun(place, '--store', url, '--session', 'talk')
    expect((await place.run('store', 'copy', url, 'b.db')).code).toBe(0)
    expect(await dump(place, 'b.db')).toEqual(await dump(place, url))
    const again = await place.run('store', 'copy', 'a.db', url, '--json')
    expect(summaryOf(again)).toMatchObject({ copied: 0, existing: 2 })
  })

  it('TROUPE_STORE is the default of --store, for a run, its resume after an approval, and the list', async () => {
    const url = await database()
    const place = await shell(
      {
        'one.md':
          '---\nname: one\ndescription: Sends.\nmodel: script/script.yaml\nfunctionTools: [send.mjs:send]\nrequiresApproval: [send]\n---\nSend.\n',
        'send.mjs': 'export const send = () => "sent"\n',
        'script.yaml': "agents:\n  one:\n    - call: [{ tool: send }]\n    - say: '{{results.0.text}}'\n",
      },
      { env: { TROUPE_STORE: url } },
    )
    const waiting = await place.run('run', 'one.md', 'Go.', '--wait')
    expect(waiting.code).toBe(6)
    expect(existsSync(join(place.path, '.local'))).toBe(false)
    expect(await place.run('runs', 'approve', 'run_', '--quiet')).toMatchObject({ code: 0, out: 'sent\n' })
    expect((await place.run('runs', 'list')).out).toContain('Completed')
    expect((await place.run('runs', 'list', '--store', 'none.db')).err).toContain(
      'none.db: no runs are saved there',
    )
    expect((await place.run('run', 'one.md', 'Go.', '--no-store')).err).not.toContain('waiting')
  })

  it('the password of a store is never printed', async () => {
    const url = await database()
    const place = await shell({
      'one.md':
        '---\nname: one\ndescription: Sends.\nmodel: script/script.yaml\nfunctionTools: [send.mjs:send]\nrequiresApproval: [send]\n---\nSend.\n',
      'send.mjs': 'export const send = () => "sent"\n',
      'script.yaml': 'agents:\n  one:\n    - call: [{ tool: send }]\n    - say: done\n',
    })
    const missing = url.replace(/\/test_\w+$/u, '/missing')
    const printed = [
      await place.run('run', 'one.md', 'Go.', '--wait', '--store', url),
      await place.run('runs', 'show', 'run_', '--store', url),
      await place.run('run', 'one.md', 'Go.', '--store', missing),
      await place.run('doctor', 'one.md', '--store', missing),
      await place.run('store', 'copy', missing, 'a.db'),
    ]
    expect(printed.map(({ code }) => code)).toEqual([6, 0, 1, 2, 1])
    expect(printed[0]?.err).toContain('--store postgresql://postgres:PASSWORD@127.0.0.1')
    for (const { out, err } of printed) expect(out + err).not.toContain('hunter2')
  })

  it('troupe doctor checks the store', async () => {
    const url = await database()
    const place = await shell({}, { env: { TROUPE_STORE: url } })
    expect((await place.run('doctor')).out).toMatch(
      /^ok +store +postgresql:\/\/postgres:PASSWORD@127\.0\.0\.1:\d+\/test_\w+ +readable and writable$/mu,
    )
    const broken = await place.run('doctor', '--store', 'postgresql://127.0.0.1:1/none')
    expect(broken.code).toBe(2)
    expect(broken.out).toMatch(
      /^error +store +postgresql:\/\/127\.0\.0\.1:1\/none .*ECONNREFUSED.*\[store_unavailable\]$/mu,
    )
  })
})
