import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { defineAgent, type RunEvent } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'
import { card, openTeam } from './support/open-team.ts'

const memory = () => createMemoryStore({ clock: systemClock })
const saying = (text: string) => scriptedModel(() => ({ text }))
const modelsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'usage' ? [`${event.agent}: ${event.model}`] : []))

/** A lead that asks its clerk once, and answers with its own prompt. */
async function openOffice(options: Partial<HostOptions> = {}): Promise<Host> {
  const lead = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'user'
      ? { calls: [{ tool: 'agent__Clerk', args: { text: 'one' } }] }
      : { text: `I ${JSON.stringify(prompt[0]?.content)}` },
  )
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Helps.',
    instruction: 'Help.',
    model: 'test/clerk',
  })
  const host = await createHost({
    cards: [defineAgent({ name: 'Lead', instruction: 'Lead.', model: 'test/lead', agents: [clerk] }), clerk],
    config: { models: { fast: 'test/fast', sure: ['test/none', 'test/fast'] } },
    cwd: import.meta.dirname,
    models: { 'test/lead': lead, 'test/clerk': saying('Yes.'), 'test/fast': saying('Quick.') },
    ...options,
  })
  onTestFinished(() => host.close())
  return host
}

describe('the model of a run', () => {
  it('the model of a run is one of the configured models, by name if it has one', async () => {
    const host = await openOffice()
    expect(host.models()).toEqual([
      { id: 'fast', means: ['test/fast'] },
      { id: 'sure', means: ['test/none', 'test/fast'] },
      { id: 'test/lead' },
      { id: 'test/clerk' },
    ])
  })

  it('the model of a run is used by every agent of that run and of no other', async () => {
    const store = memory()
    const host = await openOffice({ store })
    const told = await host.run('Lead', 'Go.', { model: 'test/clerk', runId: 'one' })
    expect(told).toMatchObject({ outcome: 'completed', output: { text: 'Yes.' } })
    expect(await host.run('Lead', 'Go.', { model: 'fast' })).toMatchObject({ output: { text: 'Quick.' } })
    await host.run('Lead', 'Go.', { runId: 'two' })
    expect(modelsOf(await store.events('one'))).toEqual(['Lead: test/clerk'])
    expect(modelsOf(await store.events('two'))).toEqual([
      'Lead: test/lead',
      'Clerk: test/clerk',
      'Lead: test/lead',
    ])
  })

  it('an unknown model fails the run', async () => {
    const host = await openOffice()
    expect(await host.run('Lead', 'Go.', { model: 'nowhere/none' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'model_unknown' },
    })
    expect(await host.run('Lead', 'Go.')).toMatchObject({ outcome: 'completed' })
  })

  it('a model is resolved where its name is written: in the configuration or in a card', async () => {
    const project = await tempProject({
      'troupe.json': '{"models":{"calm":"script/calm.yaml"},"defaults":{"model":"script/calm.yaml"}}',
      'calm.yaml': "agents: {'*': [{say: Calm.}]}",
      'cards/Lead.md': '---\nname: Lead\n---\nLead.',
      'cards/Loud.md': '---\nname: Loud\nmodel: script/loud.yaml\n---\nShout.',
      'cards/loud.yaml': "agents: {'*': [{say: LOUD}]}",
    })
    onTestFinished(() => project.remove())
    const host = await createHost({ cards: [`${project.path}/cards`], cwd: import.meta.dirname })
    onTestFinished(() => host.close())
    expect(host.models().map(({ id }) => id)).toEqual(['calm', 'script/loud.yaml'])
    expect(await host.run('Lead', 'Go.', { model: 'script/loud.yaml' })).toMatchObject({
      output: { text: 'LOUD' },
    })
    expect(await host.run('Loud', 'Go.', { model: 'calm' })).toMatchObject({ output: { text: 'Calm.' } })
  })

  it('the model of a run stays the same when the run resumes after an interruption', async () => {
    const store = memory()
    const stop = new AbortController()
    const fast = scriptedModel(() => {
      stop.abort()
      return { text: 'Too late.' }
    })
    const host = await openOffice({ store, models: { 'test/fast': fast } })
    const options = { model: 'fast', runId: 'one', signal: stop.signal, resumable: true }
    expect(await host.run('Lead', 'Go.', options)).toMatchObject({ outcome: 'cancelled' })
    const next = await openOffice({ store })
    expect(await next.resume('one')).toMatchObject({ outcome: 'completed', output: { text: 'Quick.' } })
    expect(modelsOf(await store.events('one')).every((model) => model === 'Lead: test/fast')).toBe(true)
  })
})

describe('a fork with another prompt', () => {
  it('a fork with another prompt uses it, reports where it diverges, and leaves the cards unchanged', async () => {
    const store = memory()
    const host = await openOffice({ store })
    await host.run('Lead', 'Go.', { runId: 'old' })
    const fork = await host.fork('old', { at: '2', prompts: { Lead: 'Lead better.' }, runId: 'new' })
    expect(fork.report.output.text).toContain('Lead better.')
    expect(fork.change).toMatch(
      /^run-end of the run \/, output\.text: recorded .*Lead\..* now .*Lead better\./u,
    )
    expect(host.definition('Lead').instruction).toBe('Lead.')
    const again = await host.fork('new', { at: '2' })
    expect(again.report.output.text).toContain('Lead better.')
    expect(again).not.toHaveProperty('change')
  })

  it('a fork without changes keeps its prompts', async () => {
    const store = memory()
    const host = await openOffice({ store })
    await host.run('Lead', 'Go.', { runId: 'old' })
    await host.fork('old', { at: '2', runId: 'new' })
    expect((await store.steps('new', 'new')).get('begin')).not.toHaveProperty('team')
  })

  it('a fork keeps the model that the run started with', async () => {
    const store = memory()
    const host = await openOffice({ store })
    await host.run('Lead', 'Go.', { runId: 'old', model: 'fast' })
    await host.fork('old', { at: '1', prompts: { Lead: 'Lead better.' }, runId: 'new' })
    expect(modelsOf(await store.events('new'))).toEqual(['Lead: test/fast'])
  })
})

describe('the team of a run with changes', () => {
  const files = {
    'troupe.json': '{"models":{"loud":"script/loud.yaml"}}',
    'loud.yaml': "agents: {'*': [{say: LOUD}]}",
    'troupe.env': 'TONE=calm',
    'Lead.md': card(
      { name: 'Lead', default: true, model: 'loud', env: ['TONE'], agents: ['Clerk'] },
      'Lead as before.',
    ),
    'Clerk.md': card(
      { name: 'Clerk', model: 'test/none', functionTools: ['code.ts:count'], skills: ['counting'] },
      'Count as before.',
    ),
    'code.ts': 'export const count = () => 3',
    'counting/SKILL.md': '---\nname: counting\ndescription: Counts.\n---\nOne, two.',
  }
  const lead = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'user'
      ? { calls: [{ tool: 'agent__Clerk', args: { text: 'one' } }] }
      : { text: JSON.stringify(prompt) },
  )
  const both = scriptedModel((prompt) => {
    const system = JSON.stringify(prompt[0]?.content)
    if (prompt.at(-1)?.role !== 'user') return { text: `${system} ${JSON.stringify(prompt.at(-1)?.content)}` }
    return {
      calls: [system.includes('Lead') ? { tool: 'agent__Clerk', args: { text: 'one' } } : { tool: 'count' }],
    }
  })

  it('the team of a run with changes is built from the loaded cards without reading files', async () => {
    const host = await openTeam(files, { models: { 'test/both': both } })
    rmSync(host.path, { recursive: true })
    const { outcome, output } = await host.run('Lead', 'Go.', { model: 'test/both' })
    expect(outcome).toBe('completed')
    for (const part of ['Lead as before.', 'Count as before.', '3']) expect(output.text).toContain(part)
    expect(await host.run('Clerk', 'Go.', { model: 'loud' })).toMatchObject({ output: { text: 'LOUD' } })
  })

  it('the team of a run with changes ignores edits that have not been loaded', async () => {
    const host = await openTeam(files, { models: { 'test/both': both } })
    writeFileSync(join(host.path, 'Lead.md'), card({ name: 'Lead', default: true }, 'Lead anew.'))
    writeFileSync(join(host.path, 'Clerk.md'), '---\nname: [\n')
    const { output } = await host.run('Lead', 'Go.', { model: 'test/both' })
    expect(output.text).toContain('Lead as before.')
    expect(output.text).not.toContain('Lead anew.')
  })

  it('the team of a run with changes has the requested prompts, even if its cards are deleted', async () => {
    const store = memory()
    const models = { 'test/lead': lead, 'test/none': both }
    const host = await openTeam(
      { ...files, 'Lead.md': card({ name: 'Lead', default: true, model: 'test/lead', agents: ['Clerk'] }) },
      { models, store },
    )
    await host.run('Lead', 'Go.', { runId: 'old' })
    rmSync(host.path, { recursive: true })
    const { report } = await host.fork('old', { at: '1', prompts: { Clerk: 'Count twice.' } })
    expect(report.output.text).toContain('Count twice.')
    expect(report.output.text).not.toContain('Count as before.')
  })

  it('the team of a run with another model has the same agents as a host opened with that model', async () => {
    const settings = { cards: ['.'], set: { 'limits.maxTurns': 7 }, models: { 'test/both': both } }
    const config = { defaults: { limits: { maxRetries: 1 } }, permissions: { deny: ['mail'] } }
    const store = memory()
    const own = await openTeam(files, { ...settings, config, store })
    const opened = await openTeam(files, { ...settings, config, store, model: 'test/both' })
    await own.run('Lead', 'Go.', { runId: 'own', model: 'test/both' })
    await opened.run('Lead', 'Go.', { runId: 'opened' })
    const digests = async (runId: string): Promise<readonly string[]> =>
      (await store.events(runId)).flatMap((event) =>
        event.type === 'run-start' ? [`${event.agent} ${event.definition.digest}`] : [],
      )
    expect(await digests('own')).toHaveLength(2)
    expect(await digests('own')).toEqual(await digests('opened'))
  })

  it('the team of a run with changes keeps shared resources until its run ends, whatever is reloaded', async () => {
    const begun = Promise.withResolvers<void>()
    const reloaded = Promise.withResolvers<void>()
    const slow = scriptedModel(async (prompt) => {
      if (prompt.at(-1)?.role !== 'user') return { text: JSON.stringify(prompt.at(-1)?.content) }
      begun.resolve()
      await reloaded.promise
      return { calls: [{ tool: 'count' }] }
    })
    const tools = { functionTools: [{ use: 'code.ts:count', worker: true }] }
    const host = await openTeam(
      { 'Clerk.md': card({ name: 'Clerk', ...tools }), 'code.ts': 'export function count() { return 3 }' },
      { models: { 'test/slow': slow } },
    )
    const events = recordEvents()
    const running = host.run('Clerk', 'Go.', { model: 'test/slow', onEvent: events.listener })
    await begun.promise
    writeFileSync(join(host.path, 'Clerk.md'), card({ name: 'Clerk', ...tools }, 'Count anew.'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['Clerk'] })
    reloaded.resolve()
    expect(await running).toMatchObject({ outcome: 'completed' })
    expect(events.of('tool-result')).toMatchObject([{ outcome: 'completed', content: [{ text: '3' }] }])
  })
})
