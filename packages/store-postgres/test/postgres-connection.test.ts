import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import type { Failure } from '@troupe/schema'
import { heldClock, recordEvents, sampleEvent } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

const entry = (value: unknown = null) => ({
  runId: 'run',
  event: sampleEvent('turn-start'),
  step: { key: 'llm:1', value: value as string },
})

/** Forwards connections to a server. `cut` ends them; while `isDown` is true, new ones are refused. With `dropsResults`, statements are executed, but their connection ends instead of their result. */
async function startProxy(url: string) {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  const state = { isDown: false, dropsResults: false }
  function forward(socket: Socket): void {
    const upstream = connect(Number(port), hostname)
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.pipe(upstream)
    upstream.on('data', (data) => {
      // the statement was executed, but its result is lost
      if (state.dropsResults && data.includes('SELECT')) socket.destroy()
      else socket.write(data)
    })
  }

  const server = createServer((socket) => {
    if (state.isDown) socket.destroy()
    else forward(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = new URL(url)
  address.port = String((server.address() as AddressInfo).port)
  return {
    url: address.href,
    state,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe.skipIf(!HAS_POSTGRES)(`the connection to PostgreSQL${POSTGRES_NOTE}`, () => {
  const database = useDatabase()

  it('several stores can be opened at once on an empty database', async () => {
    const schema = newSchema()
    const stores = await Promise.all(
      Array.from({ length: 6 }, () => openStore({ url: database.url, schema })),
    )
    expect(await Promise.all(stores.map(async (store) => store.roots()))).toEqual(stores.map(() => []))
  })

  it('a store of a later release is refused', async () => {
    const schema = newSchema()
    const store = await openStore({ url: database.url, schema })
    await store.query(`INSERT INTO ${store.schema}.versions (version) VALUES (999)`)
    await expect(openStore({ url: database.url, schema })).rejects.toMatchObject({
      code: 'store_newer',
      message: expect.stringContaining('has version 999') as string,
    })
  })

  it('the page about versions names the format that this release writes', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const [row] = await store.query<{ version: number }>(
      `SELECT max(version) AS version FROM ${store.schema}.versions`,
    )
    const page = await readFile(new URL('../../../docs/versions.md', import.meta.url), 'utf8')
    expect(page).toMatch(new RegExp(`opens 1 to ${row?.version}, writes ${row?.version} \\|$`, 'mu'))
  })

  it('errors never contain the password', async () => {
    const secret = 'hunter2'
    for (const url of [
      `postgresql://ann:${secret}@127.0.0.1:1/none`,
      `postgresql://ann:${secret}@127.0.0.1:99999/none`,
      `postgresql://ann:${secret}@[nowhere/none`,
      `mysql://ann:${secret}@127.0.0.1/none`,
      `postgresql://127.0.0.1:1/none?password=${secret}`,
      database.url.replace('postgres@', `ann:${secret}@`),
      `${database.url}_missing`.replace('postgres@', `postgres:${secret}@`),
    ]) {
      const thrown: unknown = await openStore({ url }).catch((error: unknown) => error)
      expect(thrown).toMatchObject({
        code: expect.stringMatching(/^(?:store_unavailable|usage_invalid)$/u) as string,
      })
      expect(inspect(thrown, { depth: 9 })).not.toContain(secret)
    }
    await expect(openStore({ url: `postgresql://ann:${secret}@127.0.0.1:1/none` })).rejects.toMatchObject({
      message:
        'postgresql://127.0.0.1:1/none: the server cannot be reached: connect ECONNREFUSED 127.0.0.1:1.',
    })
  })

  it('invalid options are refused', async () => {
    for (const changes of [{ schema: 'a"b' }, { schema: '' }, { poolSize: 0 }, { poolSize: 1.5 }])
      await expect(openStore({ url: database.url, ...changes })).rejects.toMatchObject({
        code: 'usage_invalid',
      })
    const store = await openStore({ url: database.url, schema: newSchema() })
    await expect(store.open('x'.repeat(1001), 'me')).rejects.toMatchObject({ code: 'usage_invalid' })
    await expect(store.listen('x'.repeat(64), () => undefined)).rejects.toMatchObject({
      code: 'usage_invalid',
    })
    await store.close()
    await expect(store.open('root', 'me')).rejects.toMatchObject({ code: 'usage_invalid' })
  })

  it('statements are prepared, unless the address is that of a pooler', async () => {
    const prepared = async (options: { readonly directUrl?: string }): Promise<boolean> => {
      const store = await openStore({ url: database.url, poolSize: 1, ...options })
      await store.roots()
      return (await store.query('SELECT 1 FROM pg_prepared_statements')).length > 0
    }
    expect(await prepared({})).toBe(true)
    expect(await prepared({ directUrl: `${database.url}?application_name=direct` })).toBe(false)
  })

  it('stores that execute the same statements in another order prepare each under the same name', async () => {
    const texts = ['SELECT 1 AS one', 'SELECT 2 AS two']
    const prepare = async (inOrder: readonly string[]): Promise<readonly unknown[]> => {
      const store = await openStore({ url: database.url, poolSize: 1 })
      for (const text of inOrder) await store.query(text)
      return store.query(
        'SELECT name, statement FROM pg_prepared_statements WHERE statement = ANY($1) ORDER BY statement',
        [texts],
      )
    }
    const prepared = await prepare(texts)
    expect(prepared).toHaveLength(2)
    expect(await prepare(texts.toReversed())).toEqual(prepared)
  })

  it('statements are executed once each behind a pooler that drops what was prepared', async () => {
    const store = await openStore({ url: database.url, schema: newSchema(), poolSize: 1 })
    const log = await store.open('pooled', 'me')
    log.append(entry())
    await log.waitForCommit()
    await store.transaction((client) => client.query('DEALLOCATE ALL'))
    log.append(entry())
    await log.waitForCommit()
    await log.close()
    expect(await store.events('pooled')).toMatchObject([{ seq: 1 }, { seq: 2 }])
  })

  it('runs wait while the database is away, and continue without loss or duplicates', async () => {
    const proxy = await startProxy(database.url)
    const troubles: (Failure | undefined)[] = []
    const store = await openStore({
      url: proxy.url,
      schema: newSchema(),
      onTrouble: (reason) => troubles.push(reason),
    })
    const log = await store.open('root', 'me')
    const heard = recordEvents()
    log.subscribe(heard.listener)
    log.append(entry('before'))
    await log.waitForCommit()
    proxy.state.isDown = true
    proxy.cut()
    log.append(entry('meanwhile'))
    const committed = log.waitForCommit()
    await expect.poll(() => troubles).toMatchObject([{ code: 'store_unavailable' }])
    await expect(store.roots()).rejects.toMatchObject({ code: 'store_unavailable' })
    proxy.state.isDown = false
    await committed
    expect(troubles).toMatchObject([{ code: 'store_unavailable' }, undefined])
    expect(heard.events.map(({ seq }) => seq)).toEqual([1, 2])
    expect(await store.events('root')).toHaveLength(2)
    expect(Object.fromEntries(await log.steps('run'))).toEqual({ 'llm:1': 'meanwhile' })
  })

  it('a commit whose result is lost is not written twice', async () => {
    const proxy = await startProxy(database.url)
    const schema = newSchema()
    const store = await openStore({ url: proxy.url, schema })
    const direct = await openStore({ url: database.url, schema })
    const log = await store.open('root', 'me')
    const other = await direct.openRun({ rootRunId: 'root', runId: 'other' }, 'me')
    const heard = recordEvents()
    log.subscribe(heard.listener)
    log.append(entry())
    await log.waitForCommit()
    proxy.state.dropsResults = true
    log.append(entry())
    log.append(entry())
    const committed = log.waitForCommit()
    await expect.poll(async () => (await direct.events('root')).length).toBe(3)
    // another process appends before the first one learns that its commit succeeded
    other.append(entry())
    await other.waitForCommit()
    expect(heard.events).toHaveLength(1)
    proxy.state.dropsResults = false
    await committed
    log.append(entry())
    await log.waitForCommit()
    expect(heard.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 5])
    expect(await direct.events('root')).toHaveLength(5)
  })

  it('a log that closes gives up if the database stays away', async () => {
    const proxy = await startProxy(database.url)
    let now = 0
    const { clock } = heldClock(-1)
    const store = await openStore({
      url: proxy.url,
      schema: newSchema(),
      clock: { ...clock, monotonic: () => now },
    })
    const log = await store.open('root', 'me')
    proxy.state.isDown = true
    proxy.cut()
    log.append(entry())
    const closing = log.close()
    now += 60_000
    await expect(closing).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(store.close()).resolves.toBeUndefined()
  })

  it('texts with zero bytes and lone surrogates are kept whole, in ids and keys, too', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const odd = 'a\u0000b\ud800c"\\n'
    const session = { sessionId: odd, principal: odd }
    const log = await store.open(odd, odd, { session })
    const base = { runId: odd, rootRunId: odd, agent: odd, input: odd }
    log.append({
      runId: odd,
      event: sampleEvent('run-start', base),
      step: { key: odd, value: { [odd]: odd } },
    })
    await log.waitForCommit()
    const heard = recordEvents()
    const again = store.follow?.(odd, { after: 0 }, heard.listener, (thrown) => expect.fail(String(thrown)))
    expect(await store.events(odd)).toMatchObject([{ ...base, seq: 1 }])
    expect([...(await store.steps(odd, odd))]).toEqual([[odd, { [odd]: odd }]])
    expect(await store.roots(session)).toMatchObject([{ rootRunId: odd, session, owner: { name: odd } }])
    expect(await store.list({ limit: 1, principal: odd, agent: odd, text: odd })).toHaveLength(1)
    await expect.poll(() => heard.events).toMatchObject([{ input: odd }])
    log.append({ runId: odd, event: sampleEvent('run-end', base) })
    await expect.poll(() => heard.types()).toEqual(['run-start', 'run-end'])
    again?.()
  })

  it('a large step is stored whole, and one of more than 64 MB ends its log with a reason', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const log = await store.open('root', 'me')
    const large = 'transcript '.repeat(1_000_000)
    log.append(entry(large))
    await log.waitForCommit()
    expect((await store.steps('root', 'run')).get('llm:1')).toBe(large)
    expect([...((await store.sizes?.()) ?? [])][0]?.[1]).toBeGreaterThan(large.length)
    log.append(entry('small'))
    log.append(entry('x'.repeat(64 * 1024 * 1024)))
    await expect(log.waitForCommit()).rejects.toMatchObject({
      code: 'store_full',
      message: expect.stringContaining('its entry llm:1 has') as string,
    })
    // what was appended before is committed
    expect(await store.events('root')).toHaveLength(2)
    expect((await store.steps('root', 'run')).get('llm:1')).toBe('small')
    await log.close()
  })

  it('a follower receives events although no notification arrives', async () => {
    const held = heldClock(2000)
    const schema = newSchema()
    const refused = 'postgresql://127.0.0.1:1/none'
    const store = await openStore({ url: database.url, directUrl: refused, schema, clock: held.clock })
    await expect(store.listen('any', () => undefined)).rejects.toMatchObject({ code: 'store_unavailable' })
    const other = await openStore({ url: database.url, schema })
    const heard = recordEvents()
    store.follow?.('root', { after: 0 }, heard.listener, (thrown) => expect.fail(String(thrown)))
    const log = await other.open('root', 'me')
    log.append(entry())
    await log.waitForCommit()
    await expect
      .poll(() => {
        held.expire()
        return heard.types()
      })
      .toEqual(['turn-start'])
    log.append(entry())
    await expect
      .poll(() => {
        held.expire()
        return heard.types()
      })
      .toEqual(['turn-start', 'turn-start'])
  })

  it('a listener of a channel receives payloads, and is called after a reconnect', async () => {
    const proxy = await startProxy(database.url)
    const store = await openStore({ url: database.url, directUrl: proxy.url, schema: newSchema() })
    const payloads: string[] = []
    let reconnects = 0
    const stop = await store.listen(
      'my "queue"',
      (payload) => payloads.push(payload),
      () => (reconnects += 1),
    )
    const send = (payload: string) => store.query('SELECT pg_notify($1, $2)', ['my "queue"', payload])
    await send('one')
    await expect.poll(() => payloads).toEqual(['one'])
    proxy.cut()
    await expect.poll(() => reconnects).toBe(1)
    await send('two')
    await expect.poll(() => payloads).toEqual(['one', 'two'])
    await stop()
    const later: string[] = []
    await store.listen('later', (payload) => later.push(payload))
    await send('three')
    await store.query(`SELECT pg_notify('later', 'end')`)
    await expect.poll(() => later).toEqual(['end'])
    expect(payloads).toEqual(['one', 'two'])
  })

  it('a follower reports that events are missing, and gets nothing more', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const log = await store.open('root', 'me')
    for (let index = 0; index < 3; index += 1) log.append(entry())
    await log.waitForCommit()
    await store.query(`DELETE FROM ${store.schema}.events WHERE seq = 2`)
    const errors: unknown[] = []
    const heard = recordEvents()
    store.follow?.('root', { after: 0 }, heard.listener, (thrown) => errors.push(thrown))
    await expect.poll(() => errors).toMatchObject([{ code: 'store_corrupt' }])
    expect(heard.events).toEqual([])
    await expect(store.events('root')).rejects.toMatchObject({
      message: expect.stringContaining('the run root is damaged: event 2 is missing') as string,
    })
    expect(await store.events('root', { after: 2 })).toMatchObject([{ seq: 3 }])
    await store.query(`DELETE FROM ${store.schema}.events WHERE seq = 3`)
    await expect(store.events('root', { after: 2 })).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  it('a transaction of another package is rolled back as a whole if it fails', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    await store.query(`CREATE TABLE ${store.schema}.queue (id integer PRIMARY KEY)`)
    const insert = (ids: readonly number[]) =>
      store.transaction(async (client) => {
        for (const id of ids) await client.query(`INSERT INTO ${store.schema}.queue VALUES ($1)`, [id])
        return ids.length
      })
    expect(await insert([1, 2])).toBe(2)
    await expect(insert([3, 1])).rejects.toMatchObject({ code: '23505' })
    expect(await store.query(`SELECT id FROM ${store.schema}.queue ORDER BY id`)).toEqual([
      { id: 1 },
      { id: 2 },
    ])
  })

  it('a purge continues what an ended process left, and deletes large runs in parts', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const log = await store.open('large', 'me')
    log.append(entry())
    await log.close()
    await store.query(`INSERT INTO ${store.schema}.events SELECT 1, n, '{}' FROM generate_series(2, 25000) n`)
    await store.query(`INSERT INTO ${store.schema}.events VALUES (99, 1, '{}')`)
    await store.query(`INSERT INTO ${store.schema}.purged VALUES (99)`)
    expect(await store.purge(['large'])).toBe(1)
    for (const table of ['roots', 'events', 'steps', 'purged'])
      expect(await store.query(`SELECT * FROM ${store.schema}.${table}`)).toEqual([])
  })

  it('a subscription to a long run receives all stored events before new ones', async () => {
    const store = await openStore({ url: database.url, schema: newSchema() })
    const log = await store.open('root', 'me')
    for (let index = 0; index < 1200; index += 1) log.append(entry())
    await log.waitForCommit()
    const heard = recordEvents()
    log.subscribe(heard.listener, { after: 0 })
    log.emitTransient(sampleEvent('log', { text: 'later' }))
    log.append(entry())
    await log.waitForCommit()
    expect(heard.events.slice(0, 1200).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 1200 }, (_, n) => n + 1),
    )
    expect(heard.events.slice(1200)).toMatchObject([{ type: 'log', after: 1200 }, { seq: 1201 }])
    const again = recordEvents()
    log.subscribe(again.listener, { after: 1200 })
    await log.waitForCommit()
    expect(again.events.map(({ seq }) => seq)).toEqual([1201])
  })
})
