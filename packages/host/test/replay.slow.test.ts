import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { defineAgent, defineTool, troupeError, type RunEvent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'
import { interruptedTeam, noDeeds } from './support/interrupted-team.ts'

const memory = () => createMemoryStore({ clock: systemClock })

/** The events that are kept, without their times. */
const kept = (events: readonly RunEvent[]) =>
  events
    .filter(({ seq }) => seq !== undefined)
    .map((event) => JSON.stringify(event, (key, value: unknown) => (/^time$|Ms$/u.test(key) ? 0 : value)))

async function recorded(host: Host, agent: string) {
  const { listener, events } = recordEvents()
  let cassette = ''
  const report = await host.run(agent, 'Go.', {
    onEvent: listener,
    record: (text) => {
      cassette = text
    },
  })
  return { report, cassette, events }
}

async function replayed(host: Host, cassette: string) {
  const { listener, events } = recordEvents()
  return { report: await host.replay(cassette, { onEvent: listener }), events }
}

const opened = async (options: Partial<HostOptions> & Pick<HostOptions, 'cards'>): Promise<Host> => {
  const host = await createHost({ config: false, cwd: import.meta.dirname, ...options })
  onTestFinished(() => host.close())
  return host
}

describe('a replay', () => {
  it('a replay calls no model and no tool, emits the same events, and stores nothing', async () => {
    const live = await recorded(await interruptedTeam(noDeeds(), memory()), 'Planner')
    const deeds = noDeeds()
    const store = memory()
    const again = await replayed(await interruptedTeam(deeds, store), live.cassette)
    expect(kept(again.events)).toEqual(kept(live.events))
    expect(deeds).toEqual(noDeeds())
    expect(await store.roots()).toEqual([])
  })

  it('a recording of the same run is identical whenever it was recorded', async () => {
    const record = async () =>
      (await recorded(await interruptedTeam(noDeeds(), memory()), 'Planner')).cassette.replace(
        /^runId: .*$/mu,
        '',
      )
    expect(await record()).toBe(await record())
  })

  it('a recording contains secrets by name, and a replay shows the names if the values are unknown', async () => {
    const secret = 'sk-canary-0123456789'
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      input: { type: 'object', properties: { why: { type: 'string' } } },
      execute: () => `the key is ${secret}`,
    })
    const agent = defineAgent({
      name: 'One',
      instruction: 'Tell.',
      model: 'test/one',
      env: ['MY_API_KEY'],
      functionTools: [tell],
    })
    const one = scriptedModel([
      { calls: [{ tool: 'tell', args: { why: secret } }] },
      { text: `It is ${secret}.` },
    ])
    const options = { cards: [agent], models: { 'test/one': one } }
    const live = await recorded(await opened({ ...options, env: { MY_API_KEY: secret } }), 'One')
    expect(live.report.outcome).toBe('completed')
    expect(live.cassette).not.toContain(secret)
    expect(live.cassette).toContain('{{secret:MY_API_KEY}}')
    const again = await replayed(
      await opened({ cards: [agent], models: { 'test/one': scriptedModel([]) } }),
      live.cassette,
    )
    expect(kept(again.events)).toEqual(kept(live.events))
  })

  it('a replay repeats failed calls and approvals without waiting or asking', async () => {
    const busy = troupeError('model_overloaded', 'The model is busy.')
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      requiresApproval: true,
      execute: () => 'Sent.',
    })
    const agent = defineAgent({ name: 'One', instruction: 'Send.', model: 'test/one', functionTools: [send] })
    const one = scriptedModel([{ error: busy }, { calls: [{ tool: 'send' }] }, { text: 'Done.' }])
    const host = await opened({ cards: [agent], models: { 'test/one': one } })
    const { listener, events } = recordEvents()
    let cassette = ''
    await host.run('One', 'Go.', {
      onEvent: listener,
      approve: () => ({ decision: 'approved' }),
      record: (text) => {
        cassette = text
      },
    })
    const types = events.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['model-retry', 'approval-result']))
    const again = await replayed(
      await opened({ cards: [agent], models: { 'test/one': scriptedModel([]) } }),
      cassette,
    )
    expect(kept(again.events)).toEqual(kept(events))
  })

  it('a replay stops at the first difference and reports it with its position', async () => {
    const { cassette } = await recorded(await interruptedTeam(noDeeds(), memory()), 'Planner')
    const host = await interruptedTeam(noDeeds(), memory(), { fields: { limits: { maxTurns: 1 } } })
    const { outcome, error } = await host.replay(cassette)
    expect(outcome).toBe('failed')
    expect(error).toMatchObject({ code: 'replay_mismatch' })
    expect(error?.message).toContain('of the run /')
  })

  it('a replay rejects a text that is not a recording', async () => {
    const host = await interruptedTeam(noDeeds(), memory())
    for (const text of ['', '[', 'cassette: 2', 'cassette: 1\nrunId: x'])
      await expect(host.replay(text, { file: 'a.yaml' })).rejects.toMatchObject({ code: 'cassette_invalid' })
  })
})

describe('the model replay/<file>', () => {
  it('the model replay/<file> returns the answers of a recording while tools run', async () => {
    const live = await recorded(await interruptedTeam(noDeeds(), memory()), 'Planner')
    const { path } = await tempProject({})
    writeFileSync(join(path, 'a.yaml'), live.cassette)
    const deeds = noDeeds()
    const host = await interruptedTeam(deeds, memory(), { model: 'replay/a.yaml', cwd: path })
    const report = await host.run('Planner', 'Go.')
    expect(report.output).toEqual(live.report.output)
    expect(deeds.answers).toBe(0)
    expect(deeds.ran.toSorted()).toEqual(['look', 'look', 'look', 'look', 'pay'])
  })
})
