import { setTimeout as wait } from 'node:timers/promises'
import type { RunEvent } from '@troupe/schema'
import type { PostgresStore } from '@troupe/store-postgres'
import { tempProject, verifies } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newDatabase, openServer } from './support/cluster.ts'
import { startFleet } from './support/worker-fleet.ts'

/** USD per million tokens. */
const CONFIG = { providers: { script: { prices: { '*': { input: 0.1, output: 20 } } } } }
const MICROS = 1_000_000

/** Writes the files of a team, which are deleted when the test ends. */
async function writeTeam(files: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const project = await tempProject(
    Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, `${lines.join('\n')}\n`])),
  )
  onTestFinished(() => project.remove())
  return project.path
}

/** Returns the usage of a run tree in tokens and micro-USD, by its events. */
function usageOf(events: readonly RunEvent[]): { tokens: number; micros: number } {
  const sum = { tokens: 0, micros: 0 }
  for (const event of events) {
    if (event.type !== 'usage') continue
    sum.tokens += event.tokens.input + event.tokens.output
    sum.micros += event.tokens.micros
  }
  return sum
}

async function balanceOf(store: PostgresStore, runId: string): Promise<readonly number[]> {
  const [row] = await store.query<{ amounts: readonly number[] }>(
    `SELECT array[used_tokens, used_micros, reserved_tokens, reserved_micros, aside_tokens, aside_micros]::float8[] AS amounts
     FROM ${store.schema}.budgets WHERE run_id = $1`,
    [runId],
  )
  return row?.amounts ?? []
}

describe.skipIf(!HAS_POSTGRES)(`a budget on several worker processes${POSTGRES_NOTE}`, () => {
  it(`forty greedy children on two workers use four fifths of the cap of their root run and never more than all of it ${verifies('C51', 'C52')}`, async () => {
    const children = 40
    const cap = 0.02
    const calls = Array.from(
      { length: children },
      (_, index) => `        - { tool: agent__Clerk, args: { text: 'n${index}' } }`,
    )
    const folder = await writeTeam({
      'lead.md': [
        '---',
        'name: Lead',
        'description: Leads.',
        'model: script/script.yaml',
        'maxOutputTokens: 60',
        'agents: [clerk.md]',
        `limits: { maxCost: ${cap}, maxParallel: ${children}, maxToolCallsPerTurn: ${children}, maxRuns: ${children + 1} }`,
        'default: true',
        '---',
        'Lead.',
      ],
      'clerk.md': [
        '---',
        'name: Clerk',
        'description: Repeats.',
        'model: script/script.yaml',
        'maxOutputTokens: 60',
        '---',
        'Repeat.',
      ],
      'script.yaml': [
        'agents:',
        '  Lead:',
        '    - usage: { input: 100, output: 60 }',
        '      call:',
        ...calls,
        '    - { say: Done., usage: { input: 100, output: 10 } }',
        '  Clerk:',
        '    - { delay: 50ms, say: Said., usage: { input: 20, output: 60 } }',
      ],
    })
    const url = await newDatabase()
    await startFleet(url, { folder, count: 2, slots: 8, config: CONFIG })
    const server = await openServer(url, { cards: ['.'], cwd: folder, config: CONFIG })
    const events: RunEvent[] = []
    const report = await server.run('Lead', 'Go.', { onEvent: (event) => events.push(event) })
    const ends = events.filter((event) => event.type === 'run-end' && event.agent === 'Clerk')
    const outcomes = new Set(ends.map((event) => event.type === 'run-end' && event.outcome))
    expect(ends).toHaveLength(children)
    expect(outcomes).toEqual(new Set(['completed', 'budget']))
    expect(report).toMatchObject({ outcome: 'partial', error: { code: 'budget_exceeded' } })
    const { micros } = usageOf(events)
    expect(micros).toBe(Math.round((report.usage.cost ?? 0) * MICROS))
    expect(micros).toBeLessThanOrEqual(cap * MICROS)
    expect(micros).toBeGreaterThanOrEqual(cap * MICROS * 0.8)
    const workers = await server.store.query(
      `SELECT DISTINCT worker FROM ${server.store.schema}.tasks WHERE state = 'ended'`,
    )
    expect(workers).toHaveLength(2)
  }, 120_000)

  it(`a run whose worker is killed during a call continues within its budget, and its paid calls count once ${verifies('C51')}`, async () => {
    const folder = await writeTeam({
      'solo.md': [
        '---',
        'name: Solo',
        'description: Works.',
        'model: script/script.yaml',
        'maxOutputTokens: 60',
        'tools: [note]',
        'functionTools: [note.mjs:note]',
        // enough for the repeated call, but not beside the reservation of the killed worker
        'limits: { maxTokens: 1500 }',
        'default: true',
        '---',
        'x'.repeat(200),
      ],
      'note.mjs': [
        "export function note() { return 'noted' }",
        "note.description = 'Notes.'",
        "note.effect = 'read'",
      ],
      'script.yaml': [
        'agents:',
        '  Solo:',
        '    - { call: [{ tool: note, args: {} }], usage: { input: 200, output: 20 } }',
        '    - { delay: 3s, say: Done., usage: { input: 210, output: 10 } }',
      ],
    })
    const url = await newDatabase()
    const fleet = await startFleet(url, { folder, count: 1, config: CONFIG })
    const server = await openServer(url, { cards: ['.'], cwd: folder, config: CONFIG })
    const events: RunEvent[] = []
    const running = server.run('Solo', 'Go.', { runId: 'solo', onEvent: (event) => events.push(event) })
    const isCalling = async (): Promise<boolean> =>
      events.some(({ type }) => type === 'usage') && ((await balanceOf(server.store, 'solo'))[2] ?? 0) > 0
    while (!(await isCalling())) await wait(20)
    expect(fleet.killOne(() => 0)).toBe(true)
    const report = await running
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Done.' } })
    const { tokens, micros } = usageOf(events)
    expect(tokens).toBe(440)
    expect(await balanceOf(server.store, 'solo')).toEqual([tokens, micros, 0, 0, 0, 0])
  }, 120_000)
})
