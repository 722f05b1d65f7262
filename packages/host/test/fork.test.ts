import { systemClock } from '@troupe/core'
import type { RunEvent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { interruptedTeam, noDeeds, type Deeds } from './support/interrupted-team.ts'

const memory = () => createMemoryStore({ clock: systemClock })

/** A store with one run that has ended. */
async function finished() {
  const store = memory()
  const deeds = noDeeds()
  const host = await interruptedTeam(deeds, store)
  const report = await host.run('Planner', 'Go.', { runId: 'old' })
  return { store, deeds, report, events: await store.events('old') }
}

const turnsOf = (events: readonly RunEvent[]): readonly string[] => {
  const places = new Map([['old', '']])
  return events.flatMap((event) => {
    if (event.type === 'run-start' && event.callId !== undefined)
      places.set(event.runId, `${places.get(event.parentRunId ?? '') ?? ''}${event.callId}/`)
    return event.type === 'turn-start' ? [`${places.get(event.runId)}${event.turn}`] : []
  })
}

const newDeeds = (after: Deeds, before: Deeds) => after.answers - before.answers

describe('a fork', () => {
  it('a fork without changes ends like the original run, from every step', async () => {
    const { store, report, events } = await finished()
    const steps = turnsOf(events)
    expect(steps).toContain('1.2/2')
    for (const at of steps) {
      const host = await interruptedTeam(noDeeds(), store)
      const fork = await host.fork('old', { at })
      expect({ at, output: fork.report.output, outcome: fork.report.outcome }).toEqual({
        at,
        output: report.output,
        outcome: report.outcome,
      })
    }
  })

  it('a fork copies everything before its step, without paying for it or repeating it', async () => {
    const { store } = await finished()
    const deeds = noDeeds()
    const host = await interruptedTeam(deeds, store)
    const fork = await host.fork('old', { at: '2', runId: 'new' })
    // two turns of the planner, and the worker that the first of them calls
    expect([newDeeds(deeds, noDeeds()), deeds.ran]).toEqual([4, ['look', 'look']])
    expect(fork).not.toHaveProperty('change')
    expect(fork.report.usage.modelCalls).toBe(9)
    const runs = (await store.events('new')).filter((event) => event.type === 'run-start')
    expect(runs.map(({ runId }) => runId)[0]).toBe('new')
    expect(new Set([...runs, ...(await store.events('old'))].map(({ runId }) => runId)).size).toBe(8)
    expect((await host.resume('new')).output).toEqual(fork.report.output)
  })

  it('a fork with an edited prompt shows the first difference', async () => {
    const { store } = await finished()
    const models = {
      'test/planner': scriptedModel((prompt) => ({ text: `I ${JSON.stringify(prompt[0]?.content)}` })),
      'test/worker': scriptedModel([]),
    }
    const fields = { instruction: 'Plan better.' }
    const host = await interruptedTeam(noDeeds(), store, { fields, models })
    const fork = await host.fork('old', { at: '3', acceptChanges: ['Planner'] })
    expect(fork.report.output.text).toContain('Plan better.')
    expect(fork.change).toMatch(/^run-end of the run \/, output\.text: recorded "All done\.", now "I /u)
  })

  it('a fork is rejected if other cards have changed, and for steps that do not exist', async () => {
    const { store } = await finished()
    const host = await interruptedTeam(noDeeds(), store, { fields: { instruction: 'Plan better.' } })
    const codeOf = (at: string, acceptChanges: readonly string[] = []) =>
      host.fork('old', { at, acceptChanges }).then(
        () => 'none',
        (thrown: { readonly code: string }) => thrown.code,
      )
    expect(await codeOf('2')).toBe('run_changed')
    expect(await codeOf('2', ['Worker'])).toBe('run_changed')
    for (const at of ['9', '1.1/7', '1.9/1', 'soon', '1.1']) expect(await codeOf(at)).toBe('run_step_unknown')
    await expect(host.fork('none', { at: '1' })).rejects.toMatchObject({ code: 'run_unknown' })
  })
})
