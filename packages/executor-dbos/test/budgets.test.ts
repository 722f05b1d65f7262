import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, type AgentDefinition, type RunReport } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { scriptedModel } from '@troupe/testkit'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import type { PoolClient } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorker } from '../src/index.ts'
import { newDatabase, openServer, openStore } from './support/cluster.ts'

/** Calls the listener before each statement on budgets, except those that start a task. */
function watchStatements(
  store: PostgresStore,
  listener: (text: string) => Promise<void> | void,
): PostgresStore {
  const notify = async (text: unknown): Promise<void> => {
    if (typeof text === 'string' && text.includes('.budget') && !text.includes('SET state ='))
      await listener(text)
  }
  const watched = (client: PoolClient): PoolClient =>
    new Proxy(client, {
      get(target, key) {
        if (key !== 'query') return Reflect.get(target, key) as unknown
        return async (...call: Parameters<PoolClient['query']>) => {
          await notify(call[0])
          return target.query(...call)
        }
      },
    })
  return {
    ...store,
    query: async (text, values) => {
      await notify(text)
      return store.query(text, values)
    },
    transaction: (work) => store.transaction((client) => work(watched(client))),
  }
}

const CLERK = defineAgent({
  name: 'Clerk',
  description: 'Repeats.',
  instruction: 'Repeat.',
  model: 'test/clerk',
})

/** Returns a lead that calls three clerks. */
function leadOf(limits: { readonly maxTokens?: number } = {}): AgentDefinition {
  return defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Clerk'],
    limits,
    default: true,
  })
}

/** Runs a lead with clerks on a worker. Returns the report and the statements on budgets. */
async function runOnWorker(
  lead: AgentDefinition,
  budget?: { readonly maxTokens: number },
  listener: (text: string) => Promise<void> | void = () => undefined,
): Promise<{ readonly report: RunReport; readonly statements: readonly string[] }> {
  const model = scriptedModel((prompt) =>
    prompt.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: Array.from({ length: 3 }, () => ({ tool: 'agent__Clerk', args: { text: 'x' } })) },
  )
  const options = {
    cards: [lead, CLERK],
    config: false as const,
    models: { 'test/lead': model, 'test/clerk': scriptedModel(() => ({ text: 'Said.' })) },
  }
  const url = await newDatabase()
  const statements: string[] = []
  const store = watchStatements(await openStore(url), (text) => {
    statements.push(text)
    return listener(text)
  })
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

describe.skipIf(!HAS_POSTGRES)(`budgets of runs on a worker${POSTGRES_NOTE}`, () => {
  it('a run tree without caps issues no statement on budgets', async () => {
    const { report, statements } = await runOnWorker(leadOf())
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
    expect(statements).toEqual([])
  })

  it('a run tree with a cap on its root run stores the calls of all its runs', async () => {
    const { report, statements } = await runOnWorker(leadOf({ maxTokens: 100_000 }))
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
    expect(statements.length).toBeGreaterThan(0)
  })

  it('a composition that calls no model itself has stored its caps before its first child starts', async () => {
    const chain = defineAgent({
      name: 'Lead',
      description: 'Leads.',
      instruction: 'Lead.',
      type: 'chain',
      sequence: ['Clerk'],
      limits: { maxTokens: 50 },
      default: true,
    })
    const { report } = await runOnWorker(chain, undefined, async (text) => {
      if (text.includes('INSERT')) await wait(1000)
    })
    expect(report).toMatchObject({ outcome: 'budget', error: { code: 'budget_exceeded' } })
    expect(report.usage).toMatchObject({ modelCalls: 0 })
  })

  it('an invalid budget is refused before the run is handed to the workers', async () => {
    await expect(runOnWorker(leadOf(), { maxTokens: -1 })).rejects.toMatchObject({ code: 'usage_invalid' })
  })
})
