import { hostname } from 'node:os'
import { join } from 'node:path'
import { pid } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@troupe/core'
import { defineAgent, defineTool } from '@troupe/schema'
import { openSqliteStore, type SqliteStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { expect, onTestFinished } from 'vitest'
import { createHost } from '../../src/index.ts'

/** How long the model takes for a turn. */
export const TURN_MS = 50
/** The turns of each run. All but the last call a reading tool. */
export const TURNS = 3

/** The measurements of many concurrent runs. */
export interface ManyRuns {
  readonly ids: readonly string[]
  /** Durable events that listeners heard, by run. */
  readonly told: ReadonlyMap<string, number>
  /** The ms of every turn from its request to the next, or to the end of the run, without the time of its model. */
  readonly added: readonly number[]
}

/** One host on one store. */
export async function openManyRuns(): Promise<{
  readonly store: SqliteStore
  /** Begins so many runs, within `spreadMs` or at once, and waits until all have completed. */
  runAll(runs: number, options?: { readonly spreadMs?: number }): Promise<ManyRuns>
  close(): Promise<void>
}> {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  const store = await openSqliteStore({
    path: join(project.path, 'runs.db'),
    clock: systemClock,
    random: Math.random,
    writer: { token: 'here', pid, host: hostname(), isAlive: () => true },
  })
  const requestedAt = new Map<string, number[]>()
  const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', execute: () => 'seen' })
  const model = scriptedModel(async (prompt) => {
    const input = prompt.find(({ role }) => role === 'user')?.content[0]
    const runId = typeof input === 'object' && input.type === 'text' ? input.text : ''
    requestedAt.set(runId, [...(requestedAt.get(runId) ?? []), performance.now()])
    await wait(TURN_MS)
    const turn = prompt.filter(({ role }) => role === 'assistant').length + 1
    return turn < TURNS ? { calls: [{ tool: 'look' }] } : { text: 'Done.' }
  })
  const host = await createHost({
    cards: [defineAgent({ name: 'One', instruction: 'Work.', model: 'test/one', functionTools: [look] })],
    config: false,
    cwd: project.path,
    store,
    models: { 'test/one': model },
  })
  let rounds = 0

  async function runOne(runId: string, told: Map<string, number>): Promise<readonly number[]> {
    const { outcome } = await host.run('One', runId, {
      runId,
      onEvent: ({ seq }) => {
        if (seq !== undefined) told.set(runId, (told.get(runId) ?? 0) + 1)
      },
    })
    expect(outcome).toBe('completed')
    const moments = [...(requestedAt.get(runId) ?? []), performance.now()]
    return moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0) - TURN_MS)
  }

  return {
    store,
    async runAll(runs, { spreadMs = 0 } = {}) {
      rounds += 1
      const ids = Array.from({ length: runs }, (_, index) => `run_${rounds}_${index}`)
      const told = new Map<string, number>()
      const added = await Promise.all(
        ids.map(async (runId, index) => {
          if (spreadMs > 0) await wait((index / runs) * spreadMs)
          return runOne(runId, told)
        }),
      )
      return { ids, told, added: added.flat() }
    },
    close: () => host.close(),
  }
}
