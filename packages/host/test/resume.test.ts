import { defineAgent, type AgentFields, type RunEvent, type RunReport } from '@troupe/schema'
import type { LogEntry, RunStore } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createHost } from '../src/index.ts'
import { interruptedTeam, noDeeds, recordingStore, storeAfter } from './support/interrupted-team.ts'

interface Undisturbed {
  readonly entries: readonly LogEntry[]
  readonly report: RunReport
  readonly answers: number
  readonly ran: readonly string[]
}

async function undisturbed(fields = {}): Promise<Undisturbed> {
  const deeds = noDeeds()
  const { store, entries } = recordingStore()
  const host = await interruptedTeam(deeds, store, { fields })
  const report = await host.run('Planner', 'Go.', { runId: 'root' })
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
  return { entries, report, answers: deeds.answers, ran: deeds.ran }
}

const keysOf = (entries: readonly LogEntry[], start: string) =>
  entries.flatMap(({ runId, step }) => (step?.key.startsWith(start) ? `${runId} ${step.key}` : []))

describe('an interrupted run', () => {
  it.each<AgentFields>([{}, { historyMode: 'fork_and_merge' }])(
    'an interrupted run ends like an undisturbed one after it is resumed: %o',
    { timeout: 30_000 },
    async (fields) => {
      const whole = await undisturbed(fields)
      for (let kept = 1; kept < whole.entries.length; kept += 1) {
        const past = whole.entries.slice(0, kept)
        const store = await storeAfter('root', past)
        const deeds = noDeeds()
        const host = await interruptedTeam(deeds, store, { fields })
        const report = await host.resume('root')
        expect(comparable(report)).toEqual(comparable(whole.report))
        // what was paid is not paid again
        expect(deeds.answers).toBe(whole.answers - keysOf(past, 'llm:').length)
        expect(deeds.ran.filter((name) => name === 'pay').length).toBe(
          keysOf(past, 'start:1.3').length > 0 ? 0 : 1,
        )
        expectWhole(await store.events('root'), whole.entries)
      }
    },
  )

  it('a resumed run tells the model that the outcome of an interrupted `once` call is unknown', async () => {
    const whole = await undisturbed()
    const started = whole.entries.findIndex(({ step }) => step?.key === 'start:1.3#1')
    const store = await storeAfter('root', whole.entries.slice(0, started + 1))
    const deeds = noDeeds()
    const host = await interruptedTeam(deeds, store)
    const { listener, events } = recordEvents()
    await host.resume('root', { onEvent: listener })
    expect(deeds.ran).not.toContain('pay')
    expect(resultOf(events, '1.3')).toMatchObject({
      outcome: 'failed',
      error: { code: 'tool_outcome_unknown' },
    })
  })

  it('a run whose log cannot be read after it was opened can be resumed later', async () => {
    const whole = await undisturbed()
    const store = await storeAfter('root', whole.entries.slice(0, 5))
    let isBroken = false
    const flaky: RunStore = {
      ...store,
      async open(runId, owner) {
        const log = await store.open(runId, owner)
        const read = log.steps.bind(log)
        return Object.assign(log, {
          steps: (id: string) => {
            if (isBroken) throw new Error('disk failure')
            return read(id)
          },
        })
      },
    }
    const host = await interruptedTeam(noDeeds(), flaky)
    isBroken = true
    await expect(host.resume('root')).rejects.toThrow('disk failure')
    isBroken = false
    expect(comparable(await host.resume('root'))).toEqual(comparable(whole.report))
  })

  it('a resumed run reports the end of an abandoned child that was lost with the process', async () => {
    const whole = await undisturbed()
    const child = whole.entries.find(({ event }) => event?.type === 'run-end' && event.depth === 1)?.runId
    // as a child leaves it whose parent did not wait any longer: all but its end, and that of the root
    const left = whole.entries.filter(
      ({ runId, step }) => step?.key !== 'end' || (runId !== child && runId !== 'root'),
    )
    const store = await storeAfter('root', left)
    const deeds = noDeeds()
    const report = await (await interruptedTeam(deeds, store)).resume('root')
    expect(comparable(report)).toEqual(comparable(whole.report))
    expect(deeds).toEqual(noDeeds())
    const ends = (await store.events('root')).filter(({ type }) => type === 'run-end')
    expect(ends.slice(-2)).toMatchObject([
      { runId: child, depth: 1, outcome: 'cancelled', usage: { modelCalls: 2, toolCalls: 1 } },
      { runId: 'root', outcome: 'completed' },
    ])
    expect((await store.steps('root', child ?? '')).get('end')).toMatchObject({ outcome: 'cancelled' })
  })

  it('a resumed run stays headless if it started headless', async () => {
    const fields = { requiresApproval: ['pay'] }
    const { store, entries } = recordingStore()
    const first = await interruptedTeam(noDeeds(), store, { fields })
    await first.run('Planner', 'Go.', { runId: 'root', headless: true })
    const model = scriptedModel(() => ({ text: 'Nothing to do.' }))
    const models = { 'test/planner': model, 'test/worker': model }
    const host = await interruptedTeam(noDeeds(), await storeAfter('root', entries.slice(0, 2)), {
      fields,
      models,
    })
    await host.resume('root')
    expect(model.calls[0]?.tools).toEqual(['look', 'agent__Worker'])
  })

  it('a resumed run emits all events from the beginning to its listener', async () => {
    const whole = await undisturbed()
    const store = await storeAfter('root', whole.entries.slice(0, 20))
    const { listener, events } = recordEvents()
    await (await interruptedTeam(noDeeds(), store)).resume('root', { onEvent: listener })
    const seqs = events.flatMap((event) => event.seq ?? [])
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'completed' })
  })

  it('a resumed run counts earlier usage against its budget', async () => {
    const whole = await undisturbed()
    const answered = whole.entries.findIndex(({ step }) => step?.key === 'llm:2')
    const dear = whole.entries.slice(0, answered + 1).map((entry) => {
      const { event } = entry
      if (event?.type !== 'usage') return entry
      return { ...entry, event: { ...event, tokens: { ...event.tokens, input: 100_000 } } }
    })
    const host = await interruptedTeam(noDeeds(), await storeAfter('root', dear))
    const report = await host.resume('root', { budget: { maxTokens: 200_000 } })
    expect(report).toMatchObject({ outcome: 'budget', error: { code: 'budget_exceeded' } })
  })

  it('resuming a run that has ended returns its report and does nothing', async () => {
    const whole = await undisturbed()
    const deeds = noDeeds()
    const { listener, events } = recordEvents()
    const host = await interruptedTeam(deeds, await storeAfter('root', whole.entries))
    expect(await host.resume('root', { onEvent: listener })).toEqual(whole.report)
    expect(deeds).toEqual(noDeeds())
    expect(events.at(-1)).toMatchObject({ type: 'run-end' })
  })

  it('resuming is rejected if a card has changed, unless the change is accepted', async () => {
    const whole = await undisturbed()
    const store = await storeAfter('root', whole.entries.slice(0, 10))
    const host = await interruptedTeam(noDeeds(), store, { fields: { instruction: 'Plan better.' } })
    await expect(host.resume('root')).rejects.toMatchObject({
      code: 'run_changed',
      message: expect.stringContaining('Planner'),
    })
    expect(await host.resume('root', { acceptChanges: true })).toMatchObject({ outcome: 'completed' })
  })

  it('resuming is rejected while another process owns the run', async () => {
    const whole = await undisturbed()
    const store = await storeAfter('root', whole.entries.slice(0, 10))
    await store.open('root', 'another process')
    const host = await interruptedTeam(noDeeds(), store)
    await expect(host.resume('root')).rejects.toMatchObject({ code: 'store_locked' })
  })

  it('resuming is rejected if nothing or only metadata is stored', async () => {
    const { store } = recordingStore()
    const quiet = await interruptedTeam(noDeeds(), store, { fields: { store: 'metadata' } })
    await quiet.run('Planner', 'Go.', { runId: 'quiet' })
    await expect(quiet.resume('nobody')).rejects.toMatchObject({ code: 'run_unknown' })
    await expect(quiet.resume('quiet')).rejects.toMatchObject({ code: 'run_not_resumable' })
  })
})

describe('an approval before an interruption', () => {
  it('an approval that was given before the interruption is not requested again', async () => {
    const fields = { requiresApproval: ['pay'] }
    const deeds = noDeeds()
    const { store, entries } = recordingStore()
    const host = await interruptedTeam(deeds, store, { fields })
    await host.run('Planner', 'Go.', { runId: 'root', approve: () => ({ decision: 'approved' }) })
    const decided = entries.findIndex(({ step }) => step?.key === 'approval:1.3#1')
    const asked = entries.findIndex(({ event }) => event?.type === 'approval-request')
    const times = async (kept: number): Promise<number> => {
      let count = 0
      const next = await interruptedTeam(noDeeds(), await storeAfter('root', entries.slice(0, kept)), {
        fields,
      })
      const approve = () => {
        count += 1
        return { decision: 'approved' as const }
      }
      expect(await next.resume('root', { approve })).toMatchObject({ outcome: 'completed' })
      return count
    }
    expect(await times(decided + 1)).toBe(0)
    expect(await times(asked + 1)).toBe(1)
  })
})

/** A report without its times, and without the problem that an interruption adds: whether a `once` tool took effect is not known. */
function comparable(report: RunReport): unknown {
  const problems = report.problems.filter(({ code }) => code !== 'tool_outcome_unknown')
  return { ...report, durationMs: 0, activeMs: 0, problems, problemCount: problems.length }
}

/** Models without a price stand in the order they were first called. */
function inOrder({ usage, ...report }: RunReport): unknown {
  return { ...report, usage: { ...usage, unpriced: usage.unpriced.toSorted() }, durationMs: 0, activeMs: 0 }
}

function resultOf(events: readonly RunEvent[], callId: string): RunEvent | undefined {
  return events.find((event) => event.type === 'tool-result' && event.callId === callId && event.depth === 0)
}

/** Every run began and ended once, every call has one result, and all have their number. */
function expectWhole(events: readonly RunEvent[], entries: readonly LogEntry[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const count = (
    all: readonly {
      readonly event?: { readonly type: string; readonly runId: string; readonly callId?: string }
    }[],
  ) =>
    all
      .flatMap(({ event }) =>
        event !== undefined && /^(?:run|turn|tool)-(?:start|end|call|result)$/u.test(event.type)
          ? `${event.type} ${event.runId} ${event.callId ?? ''}`
          : [],
      )
      .filter((line) => !line.startsWith('tool-start root 1.3'))
      .toSorted()
  expect(count(events.map((event) => ({ event })))).toEqual(count(entries))
}

describe('an interrupted composition', () => {
  it.each([
    ['a chain', { type: 'chain', sequence: ['One', 'Two', 'One'], cumulative: true }],
    ['agents side by side', { type: 'parallel', fanOut: ['One', 'Two'], fanIn: 'One' }],
    [
      'a generator and its evaluator',
      { type: 'evaluator_optimizer', generator: 'One', evaluator: 'Judge', maxRefinements: 2 },
    ],
  ] as const)(
    'an interrupted composition ends like an undisturbed one after it is resumed: %s',
    { timeout: 30_000 },
    async (_, fields) => {
      const team = async (deeds: { answers: number }, store: RunStore) => {
        const answer = (text: string) =>
          scriptedModel(() => {
            deeds.answers += 1
            return { text }
          })
        const member = (name: string) =>
          defineAgent({ name, description: name, instruction: 'Work.', model: `test/${name}` })
        const members = ['One', 'Two', 'Judge'].map(member)
        const root = defineAgent({
          name: 'Root',
          instruction: 'Lead.',
          model: 'test/One',
          agents: members,
          ...fields,
        })
        const rating = '{"rating":"EXCELLENT","feedback":"","needs_improvement":false}'
        return createHost({
          cards: [root, ...members],
          config: false,
          cwd: import.meta.dirname,
          store,
          models: { 'test/One': answer('one'), 'test/Two': answer('two'), 'test/Judge': answer(rating) },
        })
      }
      const whole = { answers: 0 }
      const { store, entries } = recordingStore()
      const report = await (await team(whole, store)).run('Root', 'Go.', { runId: 'root' })
      expect(report.outcome).toBe('completed')
      for (let kept = 1; kept < entries.length; kept += 1) {
        const past = entries.slice(0, kept)
        const deeds = { answers: 0 }
        const host = await team(deeds, await storeAfter('root', past))
        const again = await host.resume('root')
        await host.close()
        expect(inOrder(again)).toEqual(inOrder(report))
        expect(deeds.answers).toBe(whole.answers - keysOf(past, 'llm:').length)
      }
    },
  )
})
