import { randomUUID } from 'node:crypto'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, type RunReport } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { scriptedModel, verifies } from '@troupe/testkit'
import type { PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorker } from '../src/index.ts'
import { newDatabase, openServer, openStore } from './support/cluster.ts'

/** Records the statements on budgets, without those that start a task. */
function recordStatements(store: PostgresStore, statements: string[]): PostgresStore {
  const record = (text: unknown): void => {
    if (typeof text === 'string' && text.includes('.budget') && !text.includes('SET state ='))
      statements.push(text)
  }
  const recorded = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, key) {
        if (key !== 'query') return Reflect.get(target, key) as unknown
        return (...call: Parameters<PoolClient['query']>) => {
          record(call[0])
          return target.query(...call)
        }
      },
    })
  return {
    ...store,
    query: (text, values) => {
      record(text)
      return store.query(text, values)
    },
    transaction: (work) => store.transaction((client) => work(recorded(client))),
  }
}

/** Runs a lead with three clerks on a worker. Returns the report and the statements on budgets. */
async function runOnWorker(
  limits: { readonly maxTokens?: number },
  budget?: { readonly maxTokens: number },
): Promise<{ readonly report: RunReport; readonly statements: readonly string[] }> {
  const model = scriptedModel((prompt) =>
    prompt.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: Array.from({ length: 3 }, () => ({ tool: 'agent__Clerk', args: { text: 'x' } })) },
  )
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Repeats.',
    instruction: 'Repeat.',
    model: 'test/clerk',
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Clerk'],
    limits,
    default: true,
  })
  const options = {
    cards: [lead, clerk],
    config: false as const,
    models: { 'test/lead': model, 'test/clerk': scriptedModel(() => ({ text: 'Said.' })) },
  }
  const url = await newDatabase()
  const statements: string[] = []
  const store = recordStatements(await openStore(url), statements)
  const host = await createHost({ ...options, cwd: import.meta.dirname, store })
  const worker = await startWorker({
    id: randomUUID(),
    store,
    url,
    runner: host,
    clock: systemClock,
    process: { host: 'here', pid: process.pid },
    onLost: () => undefined,
  })
  onTestFinished(async () => {
    await worker.close(0)
    await host.close()
  })
  const server = await openServer(url, options)
  const before = statements.length
  const report = await server.run('Lead', 'Go.', budget === undefined ? {} : { budget })
  return { report, statements: statements.slice(before) }
}

describe('budgets of runs on a worker', () => {
  it('a run tree without caps issues no statement on budgets', async () => {
    const { report, statements } = await runOnWorker({})
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
    expect(statements).toEqual([])
  })

  it('a run tree with a cap on its root run stores the calls of all its runs', async () => {
    const { report, statements } = await runOnWorker({ maxTokens: 100_000 })
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
    expect(statements.length).toBeGreaterThan(0)
  })

  it(`the budget of the caller applies on workers, and is named in the refusal ${verifies('C51')}`, async () => {
    const { report } = await runOnWorker({}, { maxTokens: 50 })
    expect(report).toMatchObject({ outcome: 'budget', error: { code: 'budget_exceeded' } })
    expect(report.error?.message).toContain('budget.maxTokens of the run (--max-tokens)')
  })

  it('an invalid budget is refused before the run is handed to the workers', async () => {
    await expect(runOnWorker({}, { maxTokens: -1 })).rejects.toMatchObject({ code: 'usage_invalid' })
  })
})
