import { systemClock } from '@troupe/core'
import { openPostgresStore } from '@troupe/store-postgres'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { CANARIES, CANARY_OPTIONS, canaryForms, canaryTeam, startCanaryProvider } from './canaries.ts'
import { startProgram } from './start-program.ts'
import { project } from './team.ts'

/** Returns all rows of all tables as one text. */
async function readDatabase(url: string): Promise<string> {
  const writer = { token: 'reader', pid: process.pid, host: 'here', isAlive: () => true }
  const store = await openPostgresStore({ url, clock: systemClock, random: Math.random, writer })
  onTestFinished(() => store.close())
  const tables = await store.query<{ readonly name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema IN ('troupe', 'troupe_dbos') AND table_type = 'BASE TABLE'`,
  )
  expect(tables.length).toBeGreaterThan(10)
  const rows = await Promise.all(
    tables.map(({ name }) =>
      store.query<{ readonly row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`),
    ),
  )
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

describe.skipIf(!HAS_POSTGRES)(`secrets of servers and workers${POSTGRES_NOTE}`, { timeout: 120_000 }, () => {
  it.each(['tell me of', 'please fail with'])(
    'no secret is in a table, in an answer or in a log: %s',
    async (request) => {
      const provider = await startCanaryProvider()
      onTestFinished(() => provider.close())
      const folder = await project(canaryTeam(provider.baseURL))
      const { url: store, drop } = await createDatabase(inject('postgres'))
      onTestFinished(drop)
      const env = { ...CANARIES.shell, TROUPE_STORE: store }
      const words = ['team', ...CANARY_OPTIONS]
      const worker = startProgram(['worker', ...words], folder.path, { env })
      const server = startProgram(['serve', ...words, '--executor', 'dbos', '--port', '0'], folder.path, {
        env,
      })
      await worker.says('takes runs of')
      await server.until(() => server.out().includes('# troupe serves'))
      const [, url = ''] = /^# troupe serves .* at (\S+)$/mu.exec(server.out()) ?? []
      const secrets = Object.values(CANARIES).flatMap((source) => Object.values(source))
      const answer = await fetch(`${url}/v1/lead`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ q: `${request} ${secrets.join(' and ')}` }),
      })
      const events = await answer.text()
      expect(events).toContain('run-end')
      const stored = await readDatabase(store)
      expect(stored).toContain('run-end')
      expect(stored).toContain('[redacted:')
      const texts = {
        events,
        stored,
        worker: worker.err() + worker.out(),
        server: server.err() + server.out(),
      }
      const found = Object.entries(texts).flatMap(([where, text]) =>
        canaryForms().flatMap((form) => (text.includes(form) ? [`${where}: ${form}`] : [])),
      )
      expect(found).toEqual([])
    },
  )
})
