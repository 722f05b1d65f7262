import { defineAgent, defineTool, type ToolDefinition } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { deferred, recordEvents } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { onTestFinished, expect, it } from 'vitest'
import { createHost, type Host } from '../src/index.ts'

/** A host with one agent whose model takes its steps by turn. */
async function openHost(
  store: RunStore,
  steps: readonly ScriptedStep[],
  tools: readonly ToolDefinition[],
): Promise<Host> {
  const agent = defineAgent({
    name: 'Payer',
    description: 'Pays.',
    instruction: 'Pay.',
    model: 'test/payer',
    functionTools: [...tools],
  })
  const model = scriptedModel((prompt) => {
    const turn = prompt.filter(({ role }) => role === 'assistant').length
    return steps[turn] ?? { text: 'Done.' }
  })
  const host = await createHost({
    cards: [agent],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/payer': model },
  })
  onTestFinished(() => host.close())
  return host
}

it('a run is not interrupted while a `once` call is running, and keeps its result', async () => {
  const store = createMemoryStore({ clock: SYSTEM_CLOCK })
  const started = deferred()
  const paid = deferred()
  let payments = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays once.',
    async execute() {
      payments += 1
      started.resolve()
      await paid.promise
      return 'paid'
    },
  })
  const ship = defineTool({ name: 'ship', description: 'Ships once.', execute: () => 'shipped' })
  const steps: readonly ScriptedStep[] = [{ calls: [{ tool: 'pay' }] }, { calls: [{ tool: 'ship' }] }]
  const host = await openHost(store, steps, [pay, ship])
  const stop = new AbortController()
  const running = host.run('Payer', 'Go.', { runId: 'run_paid', resumable: true, signal: stop.signal })
  await started.promise
  host.holdOnceCalls()
  paid.resolve()
  // the second once call is not started: the run stops before it
  expect(await running).toMatchObject({ outcome: 'cancelled', error: { code: 'run_interrupted' } })

  const { listener, of } = recordEvents()
  const next = await openHost(store, steps, [pay, ship])
  expect(await next.resume('run_paid', { onEvent: listener })).toMatchObject({
    outcome: 'completed',
    output: { text: 'Done.' },
  })
  expect(payments).toBe(1)
  const results = of('tool-result').map(({ outcome, content }) => [outcome, content])
  expect(results).toEqual([
    ['completed', [{ type: 'text', text: 'paid' }]],
    ['completed', [{ type: 'text', text: 'shipped' }]],
  ])
})

it('a `once` call that may not start waits for one that is running before the run is interrupted', async () => {
  const store = createMemoryStore({ clock: SYSTEM_CLOCK })
  const started = deferred()
  const looked = deferred()
  const paid = deferred()
  const pay = defineTool({
    name: 'pay',
    description: 'Pays once.',
    async execute() {
      started.resolve()
      await paid.promise
      return 'paid'
    },
  })
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    async execute() {
      await looked.promise
      return 'seen'
    },
  })
  const worker = defineAgent({
    name: 'Worker',
    description: 'Works.',
    instruction: 'Work.',
    model: 'test/payer',
    functionTools: [pay, look],
  })
  const lead = defineAgent({
    name: 'Lead',
    description: 'Leads.',
    instruction: 'Lead.',
    model: 'test/lead',
    agents: ['Worker'],
  })
  const leadModel = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool'
      ? { text: 'Done.' }
      : {
          calls: [
            { tool: 'agent__Worker', args: { text: 'pay' } },
            { tool: 'agent__Worker', args: { text: 'look' } },
          ],
        },
  )
  const workerModel = scriptedModel((prompt) => {
    const isPaying = JSON.stringify(prompt).includes('"pay"')
    const turn = prompt.filter(({ role }) => role === 'assistant').length
    if (isPaying) return turn === 0 ? { calls: [{ tool: 'pay' }] } : { text: 'Paid.' }
    return [{ calls: [{ tool: 'look' }] }, { calls: [{ tool: 'pay' }] }][turn] ?? { text: 'Looked.' }
  })
  const host = await createHost({
    cards: [lead, worker],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/lead': leadModel, 'test/payer': workerModel },
  })
  onTestFinished(() => host.close())
  const { listener, of, until } = recordEventsUntil()
  const running = host.run('Lead', 'Go.', { runId: 'run_tree', resumable: true, onEvent: listener })
  await started.promise
  host.holdOnceCalls()
  looked.resolve()
  // the second worker has reached its own once call, which does not start
  await until(() => of('tool-call').filter(({ toolName }) => toolName === 'pay').length === 2)
  expect(of('tool-start').filter(({ toolName }) => toolName === 'pay')).toHaveLength(1)
  paid.resolve()
  expect(await running).toMatchObject({ outcome: 'cancelled' })
  const kept = (await store.events('run_tree')).filter(({ type }) => type === 'tool-result')
  expect(kept.map((event) => (event.type === 'tool-result' ? event.toolName : ''))).toEqual(['look', 'pay'])
})

function recordEventsUntil(): ReturnType<typeof recordEvents> & {
  until(holds: () => boolean): Promise<void>
} {
  const record = recordEvents()
  let wake: (() => void) | undefined
  return {
    ...record,
    listener(event) {
      record.listener(event)
      wake?.()
    },
    async until(holds) {
      while (!holds()) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}
