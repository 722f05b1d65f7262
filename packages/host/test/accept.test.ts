import { systemClock } from '@troupe/core'
import { defineAgent, type JsonObject } from '@troupe/schema'
import { isAccepted, type AcceptedRun, type RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'

const FIELDS = { name: 'Echo', description: 'Repeats.', instruction: 'Repeat.', model: 'passthrough' }
const ECHO = defineAgent(FIELDS)
const QUIET = defineAgent({ ...FIELDS, name: 'Quiet', store: 'none' })

async function openHost(store: RunStore, options: Partial<HostOptions> = {}): Promise<Host> {
  const host = await createHost({ cards: [ECHO, QUIET], config: false, store, ...options })
  onTestFinished(() => host.close())
  return host
}

/** A memory store that stays open when a host closes it, as a file would. */
function sharedStore(): RunStore {
  return { ...createMemoryStore({ clock: systemClock }), close: () => undefined }
}

async function accept(host: Host, ...args: Parameters<Host['accept']>): Promise<AcceptedRun> {
  const accepted = await host.accept(...args)
  if (!isAccepted(accepted)) throw new Error(accepted.error?.message)
  return accepted
}

describe('an accepted run', () => {
  it('an accepted run starts on `start`, with the events of any other run', async () => {
    const store = sharedStore()
    const host = await openHost(store)
    const accepted = await accept(host, 'Echo', 'Hello', { runId: 'later' })
    expect(await store.events('later')).toEqual([])
    expect(await accepted.start()).toMatchObject({ runId: 'later', output: { text: 'Hello' } })
    await host.run('Echo', 'Hello', { runId: 'at-once' })
    const types = async (runId: string) => (await store.events(runId)).map(({ type }) => type)
    expect(await types('later')).toEqual(await types('at-once'))
  })

  it('an accepted run whose process ended before it started is started by `resume` in another one', async () => {
    const store = sharedStore()
    const first = await openHost(store)
    await accept(first, 'Echo', 'Hello', { runId: 'left', sessionId: 'talk', note: { from: 'ann' } })
    await first.close()
    const second = await openHost(store)
    expect(await second.resume('left')).toMatchObject({
      outcome: 'completed',
      output: { text: 'Hello' },
      sessionId: 'talk',
    })
    expect((await store.steps('left', 'left')).get('begin')).toMatchObject({ note: { from: 'ann' } })
    const count = (await store.events('left')).length
    expect(await second.resume('left')).toMatchObject({ outcome: 'completed' })
    expect(await store.events('left')).toHaveLength(count)
  })

  it('the fields of `runNote` replace those that the caller of a run or a fork passes', async () => {
    const store = sharedStore()
    const runNote = (date: Date): JsonObject => ({ cards: ['team'], date: date.toISOString() })
    const host = await openHost(store, { runNote, date: new Date(0) })
    const note = { cards: ['other'], date: 'never', from: 'ann' }
    const stored = { cards: ['team'], date: '1970-01-01T00:00:00.000Z', from: 'ann' }
    await host.run('Echo', 'Hello', { runId: 'run', note })
    await (await accept(host, 'Echo', 'Hello', { runId: 'accepted', note })).start()
    await host.fork('run', { at: '1', runId: 'fork', note })
    for (const runId of ['run', 'accepted', 'fork'])
      expect((await store.steps(runId, runId)).get('begin')).toMatchObject({ note: stored })
  })

  it('an accepted run keeps its session busy until it has ended, also after its process has exited', async () => {
    const store = sharedStore()
    const first = await openHost(store)
    await first.run('Echo', 'One', { sessionId: 'talk' })
    await accept(first, 'Echo', 'Two', { runId: 'two', sessionId: 'talk' })
    expect(await first.run('Echo', 'Three', { sessionId: 'talk' })).toMatchObject({
      error: { code: 'session_busy' },
    })
    await first.close()
    const second = await openHost(store)
    expect(await second.run('Echo', 'Three', { sessionId: 'talk' })).toMatchObject({
      error: { code: 'session_busy' },
    })
    expect(await second.resume('two')).toMatchObject({ outcome: 'completed' })
    expect(await second.run('Echo', 'Three', { sessionId: 'talk' })).toMatchObject({ outcome: 'completed' })
  })

  it('an accepted run gets the messages of its conversation when another process starts it', async () => {
    const store = sharedStore()
    const prompts: number[] = []
    const model = scriptedModel((prompt) => {
      prompts.push(prompt.length)
      return { text: 'yes' }
    })
    const cards = [defineAgent({ ...FIELDS, model: 'test/model' })]
    const options = { cards, models: { 'test/model': model } }
    const first = await openHost(store, options)
    await first.run('Echo', 'One', { sessionId: 'talk' })
    await accept(first, 'Echo', 'Two', { runId: 'two', sessionId: 'talk' })
    await first.close()
    await (await openHost(store, options)).resume('two')
    // the system message, the input; then also the first input and its answer
    expect(prompts).toEqual([2, 4])
  })

  it('an accepted run that is released is free for another process', async () => {
    const store = sharedStore()
    const first = await openHost(store)
    const accepted = await accept(first, 'Echo', 'Hello', { runId: 'left' })
    const second = await openHost(store)
    await expect(second.resume('left')).rejects.toMatchObject({ code: 'store_locked' })
    await accepted.release()
    expect(await second.resume('left')).toMatchObject({ outcome: 'completed' })
  })

  it('an accepted run that is cancelled before it starts ends as cancelled', async () => {
    const store = sharedStore()
    const host = await openHost(store)
    const accepted = await accept(host, 'Echo', 'Hello', { runId: 'stopped' })
    expect(await accepted.start({ signal: AbortSignal.abort() })).toMatchObject({ outcome: 'cancelled' })
    expect((await store.events('stopped')).at(-1)).toMatchObject({ type: 'run-end', outcome: 'cancelled' })
  })

  it('an accepted run of an agent that stores nothing leaves nothing in the store', async () => {
    const store = sharedStore()
    const host = await openHost(store)
    const accepted = await accept(host, 'Quiet', 'Hello', { runId: 'quiet' })
    expect(await accepted.start()).toMatchObject({ output: { text: 'Hello' } })
    expect(await store.roots()).toEqual([])
  })

  it('a run that is refused is not accepted, and nothing is stored', async () => {
    const store = sharedStore()
    const host = await openHost(store)
    const unknown = await host.accept('Echo', 'Hi', { sessionId: 'missing', continueOnly: true })
    expect(unknown).toMatchObject({ outcome: 'failed', error: { code: 'session_unknown' } })
    await expect(host.accept('Nobody', 'Hi')).rejects.toMatchObject({ code: 'agent_unknown' })
    expect(await store.roots()).toEqual([])
  })
})

describe('requireNewId', () => {
  it('a run with an id that the store has is refused, whether that run has started or was only accepted', async () => {
    const host = await openHost(sharedStore())
    const run = (runId: string) => host.run('Echo', 'Hello', { runId, requireNewId: true })
    expect((await run('started')).outcome).toBe('completed')
    await expect(run('started')).rejects.toMatchObject({ code: 'run_exists' })
    await (await accept(host, 'Echo', 'Hello', { runId: 'accepted', requireNewId: true })).release()
    await expect(run('accepted')).rejects.toMatchObject({ code: 'run_exists' })
    expect((await run('other')).outcome).toBe('completed')
  })
})
