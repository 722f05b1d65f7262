import { join } from 'node:path'
import { systemClock } from '@troupe/core'
import { defineAgent, defineTool, troupeError, type Message, type RunReport } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore, openSqliteStore } from '@troupe/store'
import {
  scriptedModel,
  startFakeAnthropic,
  type Script,
  type ScriptedModel,
  type ScriptedStep,
} from '@troupe/testkit'
import { fakeClock, recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'
import { openProject } from './support/open-team.ts'

const memory = (): RunStore => createMemoryStore({ clock: systemClock })
const file = async (): Promise<RunStore> => {
  const { path } = await openProject({})
  return openSqliteStore({
    path: join(path, 'runs.db'),
    clock: systemClock,
    random: Math.random,
    writer: { token: 'me', pid: process.pid, host: 'here', isAlive: () => true },
  })
}

/** Returns the messages of a request, one per line. */
const said = (prompt: readonly Message[]): readonly string[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'system' || typeof content === 'string'
      ? []
      : content.map((part) => {
          if (part.type === 'text') return `${role}: ${part.text}`
          if (part.type === 'tool-call') return `${role}: ${part.toolName}()`
          return part.type === 'tool-result' ? `${role}: ${part.toolName} ${part.output.type}` : part.type
        }),
  )

const answerCount = (prompt: readonly Message[]): ScriptedStep => ({
  text: `answer ${prompt.filter(({ role }) => role === 'assistant').length + 1}`,
})

async function openTalk(
  options: Partial<HostOptions> & { readonly script?: Script } = {},
): Promise<{ readonly host: Host; readonly model: ScriptedModel }> {
  const { script = answerCount, ...rest } = options
  const model = scriptedModel(script)
  const talker = defineAgent({
    name: 'Talker',
    instruction: 'Talk.',
    model: 'test/talker',
    limits: { maxRetries: 0 },
    functionTools: [
      defineTool({ name: 'look', description: 'Looks.', effect: 'read', execute: () => 'seen' }),
    ],
  })
  const other = defineAgent({ name: 'Other', instruction: 'Talk.', model: 'test/talker' })
  const host = await createHost({
    cards: [talker, other],
    config: false,
    cwd: import.meta.dirname,
    models: { 'test/talker': model },
    ...rest,
  })
  onTestFinished(() => host.close())
  return { host, model }
}

const lastPrompt = ({ calls }: ScriptedModel): readonly string[] => said(calls.at(-1)?.prompt ?? [])
const codeOf = ({ error }: RunReport): string | undefined => error?.code

describe.each([
  ['in a store in memory', async () => ({ store: memory() })],
  ['in a store in a file', async () => ({ store: await file() })],
  ['without a store', async () => ({})],
])('a conversation %s', (_, places) => {
  it(`a conversation continues where its last run ended ${verifies('D52')}`, async () => {
    const { host, model } = await openTalk(await places())
    const first = await host.run('Talker', 'one')
    for (const text of ['two', 'three'])
      expect(await host.run('Talker', text, { sessionId: first.sessionId })).toMatchObject({
        sessionId: first.sessionId,
        outcome: 'completed',
      })
    expect(lastPrompt(model)).toEqual([
      'user: one',
      'assistant: answer 1',
      'user: two',
      'assistant: answer 2',
      'user: three',
    ])
    expect(await host.session(first.sessionId)).toMatchObject({
      sessionId: first.sessionId,
      principal: 'local',
      agent: 'Talker',
      runs: 3,
      busy: false,
    })
  })

  it('a conversation can start with an id of the caller', async () => {
    const { host, model } = await openTalk(await places())
    await host.run('Talker', 'one', { sessionId: 'thread 7' })
    await host.run('Talker', 'two', { sessionId: 'thread 7', continueOnly: true })
    expect(lastPrompt(model)).toEqual(['user: one', 'assistant: answer 1', 'user: two'])
  })

  it('a conversation keeps calls and their results but not reasoning', async () => {
    const script: Script = (_, { index }) =>
      index === 0
        ? { reasoning: 'SECRET THOUGHT', text: 'Looking.', calls: [{ tool: 'look' }] }
        : { reasoning: 'SECRET THOUGHT', text: 'Done.' }
    const { host, model } = await openTalk({ ...(await places()), script })
    await host.run('Talker', 'one', { sessionId: 's' })
    await host.run('Talker', 'two', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual([
      'user: one',
      'assistant: Looking.',
      'assistant: look()',
      'tool: look text',
      'assistant: Done.',
      'user: two',
    ])
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain('SECRET')
  })

  it('a conversation keeps the input of a failed turn and notes the missing answer', async () => {
    const script: Script = (_, { index }) => (index === 0 ? { error: new TypeError('no') } : { text: 'ok' })
    const { host, model } = await openTalk({ ...(await places()), script })
    expect(await host.run('Talker', 'one', { sessionId: 's' })).toMatchObject({ outcome: 'failed' })
    await host.run('Talker', 'two', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual([
      'user: one',
      expect.stringMatching(/^assistant: \[There was no answer: \w+\.\]$/u),
      'user: two',
    ])
  })

  it('a conversation of another principal is reported like one that does not exist', async () => {
    const { host, model } = await openTalk(await places())
    await host.run('Talker', 'mine', { sessionId: 's', principal: 'ann' })
    const refusal = async (sessionId: string): Promise<unknown> => {
      const { error } = await host.run('Talker', 'x', { sessionId, principal: 'bob', continueOnly: true })
      return { ...error, message: error?.message.replace(`conversation ${sessionId}`, 'it') }
    }
    expect(await refusal('s')).toEqual(await refusal('nowhere'))
    expect(await refusal('s')).toMatchObject({ code: 'session_unknown' })
    expect(await host.session('s', { principal: 'bob' })).toBeUndefined()
    await host.run('Talker', 'his', { sessionId: 's', principal: 'bob' })
    expect(lastPrompt(model)).toEqual(['user: his'])
    const ids = async (principal: string): Promise<readonly unknown[]> =>
      (await host.sessions({ principal })).map(({ sessionId, runs }) => [sessionId, runs])
    expect([await ids('ann'), await ids('bob'), await ids('local')]).toEqual([[['s', 1]], [['s', 1]], []])
  })

  it('a conversation belongs to one agent', async () => {
    const { host } = await openTalk(await places())
    await host.run('Talker', 'one', { sessionId: 's' })
    expect(codeOf(await host.run('Other', 'two', { sessionId: 's' }))).toBe('session_mismatch')
  })

  it('a conversation has one run at a time, and other conversations continue meanwhile', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const script: Script = (_, { index }) => (index === 0 ? { wait: held, text: 'late' } : { text: 'ok' })
    const { host, model } = await openTalk({ ...(await places()), script })
    const begun = Promise.withResolvers<void>()
    const running = host.run('Talker', 'one', { sessionId: 's', onEvent: () => begun.resolve() })
    await begun.promise
    expect(await host.run('Talker', 'two', { sessionId: 's' })).toMatchObject({
      outcome: 'failed',
      error: { code: 'session_busy', class: 'limit' },
    })
    expect(await host.run('Talker', 'else', { sessionId: 't' })).toMatchObject({ outcome: 'completed' })
    release()
    await running
    await host.run('Talker', 'three', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual(['user: one', 'assistant: late', 'user: three'])
  })

  it('conversations are listed by last change, up to the limit', async () => {
    const { host } = await openTalk(await places())
    for (const sessionId of ['a', 'b', 'a']) {
      await host.run('Talker', 'hi', { sessionId })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect((await host.sessions()).map(({ sessionId, runs }) => [sessionId, runs])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(await host.sessions({ limit: 1 })).toHaveLength(1)
  })
})

describe('conversations in special cases', () => {
  it('a conversation of an agent with `store: none` stays in memory', async () => {
    const store = memory()
    const quiet = defineAgent({ name: 'Quiet', instruction: 'q', model: 'test/talker', store: 'metadata' })
    const { host, model } = await openTalk({ store, cards: [quiet] })
    await host.run('Quiet', 'PRIVATE', { sessionId: 's' })
    await host.run('Quiet', 'two', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual(['user: PRIVATE', 'assistant: answer 1', 'user: two'])
    const kept = await Promise.all(
      (await store.roots()).map(async ({ rootRunId }) => store.events(rootRunId)),
    )
    expect(JSON.stringify(kept)).not.toContain('PRIVATE')
  })

  it('a conversation that is only in memory is forgotten after an hour without a turn', async () => {
    const clock = fakeClock()
    const { host } = await openTalk({ clock })
    await host.run('Talker', 'one', { sessionId: 's' })
    await clock.advance(59 * 60_000)
    expect(await host.run('Talker', 'two', { sessionId: 's', continueOnly: true })).toMatchObject({
      outcome: 'completed',
    })
    await clock.advance(60 * 60_000)
    expect(codeOf(await host.run('Talker', 'three', { sessionId: 's', continueOnly: true }))).toBe(
      'session_unknown',
    )
  })

  it('a conversation of a composition contains its inputs and answers', async () => {
    for (const store of [undefined, memory()]) {
      const worker = defineAgent({ name: 'Worker', instruction: 'w', model: 'test/talker', description: 'w' })
      const chain = defineAgent({
        name: 'Chain',
        type: 'chain',
        sequence: ['Worker'],
        historyMode: 'fork',
        instruction: 'c',
      })
      const { host, model } = await openTalk({
        cards: [chain, worker],
        ...(store === undefined ? {} : { store }),
      })
      await host.run('Chain', 'one', { sessionId: 's' })
      await host.run('Chain', 'two', { sessionId: 's' })
      expect(lastPrompt(model)).toEqual(['user: one', 'assistant: answer 1', 'user: two'])
    }
  })

  it('a conversation seals secrets in the store and restores them when it continues', async () => {
    const store = memory()
    const env = { API_KEY: 'sk-very-secret-value' }
    const { host, model } = await openTalk({ store, env })
    await host.run('Talker', 'the key is sk-very-secret-value', { sessionId: 's' })
    await host.run('Talker', 'two', { sessionId: 's' })
    const steps = await Promise.all(
      (await store.roots()).map(async ({ rootRunId }) => [...(await store.steps(rootRunId, rootRunId))]),
    )
    expect(lastPrompt(model)[0]).toBe('user: the key is sk-very-secret-value')
    expect(JSON.stringify(steps)).toContain('{{secret:API_KEY}}')
    expect(JSON.stringify(steps)).not.toContain('very-secret')
  })

  it('a conversation stores each message once, however many runs it has', async () => {
    const store = memory()
    const { host } = await openTalk({ store })
    for (const text of ['one', 'two', 'three']) await host.run('Talker', text, { sessionId: 's' })
    const [, , last] = await store.roots()
    const begin = (await store.steps(last?.rootRunId ?? '', last?.rootRunId ?? '')).get('begin')
    expect(begin).toMatchObject({ input: 'three' })
    expect(begin).not.toHaveProperty('history')
  })

  it('a conversation continues without the runs that were purged', async () => {
    const store = memory()
    const { host, model } = await openTalk({ store })
    const first = await host.run('Talker', 'one', { sessionId: 's' })
    await host.run('Talker', 'two', { sessionId: 's' })
    await store.purge([first.runId])
    await host.run('Talker', 'three', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual(['user: two', 'assistant: answer 2', 'user: three'])
  })

  it('a conversation continues from an interrupted run, which can still be resumed', async () => {
    const store = memory()
    const stop = new AbortController()
    const script: Script = (prompt, { index }) => {
      if (index === 1) stop.abort()
      return answerCount(prompt)
    }
    const { host, model } = await openTalk({ store, script })
    await host.run('Talker', 'one', { sessionId: 's' })
    const left = await host.run('Talker', 'two', { sessionId: 's', signal: stop.signal, resumable: true })
    expect(left.outcome).toBe('cancelled')
    expect(await host.resume(left.runId)).toMatchObject({ outcome: 'completed', sessionId: 's' })
    expect(lastPrompt(model)).toEqual(['user: one', 'assistant: answer 1', 'user: two'])
    await host.run('Talker', 'three', { sessionId: 's' })
    expect(lastPrompt(model)).toEqual([
      'user: one',
      'assistant: answer 1',
      'user: two',
      'assistant: answer 2',
      'user: three',
    ])
  })

  it('forking a run leaves its conversation unchanged and starts another one with the same past', async () => {
    const store = memory()
    const { host, model } = await openTalk({ store })
    await host.run('Talker', 'one', { sessionId: 's' })
    const second = await host.run('Talker', 'two', { sessionId: 's' })
    const { report } = await host.fork(second.runId, { at: '1', runId: 'forked' })
    expect(report.sessionId).toBe('forked')
    expect(lastPrompt(model)).toEqual(['user: one', 'assistant: answer 1', 'user: two'])
    expect(await host.session('s')).toMatchObject({ runs: 2 })
    await host.run('Talker', 'another three', { sessionId: 'forked' })
    expect(lastPrompt(model)).toHaveLength(5)
  })

  it('a recording of a run in a conversation includes the earlier messages and can be replayed', async () => {
    const store = memory()
    const { host } = await openTalk({ store })
    await host.run('Talker', 'one', { sessionId: 's' })
    let cassette = ''
    await host.run('Talker', 'two', { sessionId: 's', record: (text) => void (cassette = text) })
    expect(cassette).toContain('history:')
    const { host: elsewhere } = await openTalk()
    expect(await elsewhere.replay(cassette)).toMatchObject({
      outcome: 'completed',
      output: { text: 'answer 2' },
    })
  })

  it('a conversation that the caller stores is passed with the input', async () => {
    const { host, model } = await openTalk({ store: memory() })
    const messages = [
      { role: 'assistant', text: 'Hello, I am a robot.' },
      { role: 'user', text: 'one' },
      { role: 'user', text: 'and more' },
      { role: 'assistant', text: '' },
      { role: 'user', text: 'two' },
    ] as const
    const first = await host.run('Talker', 'three', { messages })
    expect(lastPrompt(model)).toEqual([
      'user: [The conversation begins with the assistant.]',
      'assistant: Hello, I am a robot.',
      'user: one\n\nand more',
      'assistant: [There was no answer.]',
      'user: two',
      'assistant: [There was no answer.]',
      'user: three',
    ])
    await host.run('Talker', 'four', { sessionId: first.sessionId })
    expect(lastPrompt(model)).toHaveLength(9)
    await expect(host.run('Talker', 'x', { messages, sessionId: 's' })).rejects.toMatchObject({
      code: 'usage_invalid',
    })
  })

  it('a conversation of the caller is shortened like any long one', async () => {
    const fake = await startFakeAnthropic({
      answers: () => ({ text: 'so '.repeat(300) }),
      contextWindow: 1500,
    })
    onTestFinished(() => fake.close())
    const agent = defineAgent({ name: 'Talker', instruction: 'Talk.', model: 'anthropic/some-model' })
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: fake.baseURL }
    const { host } = await openTalk({ store: memory(), cards: [agent], env, models: {} })
    const record = recordEvents()
    for (let turn = 1; turn <= 8; turn += 1)
      expect(
        await host.run('Talker', `turn ${turn}`, { sessionId: 's', onEvent: record.listener }),
      ).toMatchObject({ outcome: 'completed' })
    expect(record.of('context-shortened').length).toBeGreaterThan(0)
    expect(await host.session('s')).toMatchObject({ runs: 8 })
  })
})

describe.each([
  ['in a store in memory', async () => ({ store: memory() })],
  ['in a store in a file', async () => ({ store: await file() })],
])('a branch of a conversation %s', (_, places) => {
  it('a branch starts a conversation with the messages up to a run, and the other one stays', async () => {
    const { host, model } = await openTalk(await places())
    const first = await host.run('Talker', 'one')
    await host.run('Talker', 'two', { sessionId: first.sessionId })
    const branch = await host.run('Talker', 'other', { branchFrom: first.runId })
    const past = ['user: one', 'assistant: answer 1']
    expect(lastPrompt(model)).toEqual([...past, 'user: other'])
    expect(branch).toMatchObject({ outcome: 'completed', sessionId: branch.runId })
    await host.run('Talker', 'more', { sessionId: branch.sessionId })
    expect(lastPrompt(model)).toEqual([...past, 'user: other', 'assistant: answer 2', 'user: more'])
    await host.run('Talker', 'three', { sessionId: first.sessionId })
    expect(lastPrompt(model)).toEqual([...past, 'user: two', 'assistant: answer 2', 'user: three'])
  })

  it('a branch starts in the named conversation, unless that exists', async () => {
    const { host, model } = await openTalk(await places())
    const first = await host.run('Talker', 'one', { sessionId: 'first' })
    const options = { branchFrom: first.runId, sessionId: 'branch' }
    expect(await host.run('Talker', 'other', options)).toMatchObject({ sessionId: 'branch' })
    expect(lastPrompt(model)).toEqual(['user: one', 'assistant: answer 1', 'user: other'])
    expect(codeOf(await host.run('Talker', 'again', options))).toBe('session_mismatch')
    expect(codeOf(await host.run('Talker', 'again', { ...options, sessionId: 'first' }))).toBe(
      'session_mismatch',
    )
    expect(model.calls).toHaveLength(2)
  })

  it('a branch is refused for unknown runs, other principals and other agents', async () => {
    const { host, model } = await openTalk(await places())
    const { runId } = await host.run('Talker', 'one', { principal: 'ann' })
    const refused = async (agent: string, branchFrom: string, principal: string): Promise<unknown> =>
      codeOf(await host.run(agent, 'x', { branchFrom, principal }))
    expect(await refused('Talker', runId, 'bob')).toBe('run_unknown')
    expect(await refused('Talker', 'run_none', 'ann')).toBe('run_unknown')
    expect(await refused('Other', runId, 'ann')).toBe('session_mismatch')
    expect(model.calls).toHaveLength(1)
  })

  it('a branch from a run that has not ended is refused', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const script: Script = () => ({ wait: held, text: 'late' })
    const { host } = await openTalk({ ...(await places()), script })
    const running = host.run('Talker', 'one', { runId: 'run_1' })
    await expect
      .poll(async () => codeOf(await host.run('Talker', 'x', { branchFrom: 'run_1' })))
      .toBe('session_busy')
    release()
    await running
  })
})

it('a branch needs a stored run and no other history', async () => {
  const { host } = await openTalk()
  const { runId } = await host.run('Talker', 'one')
  expect(codeOf(await host.run('Talker', 'x', { branchFrom: runId }))).toBe('run_unknown')
  await expect(host.run('Talker', 'x', { branchFrom: runId, messages: [] })).rejects.toMatchObject({
    code: 'usage_invalid',
  })
})

it('a damaged conversation in the store is rejected with its id and not listed', async () => {
  const store = memory()
  const damaged = new Set<string>()
  const read = <T>(runId: string, work: () => T): T => {
    if (damaged.has(runId)) throw troupeError('store_corrupt', `The run ${runId} is damaged.`)
    return work()
  }
  const { host } = await openTalk({
    store: {
      ...store,
      events: (runId, range) => read(runId, () => store.events(runId, range)),
      steps: (root, runId) => read(root, () => store.steps(root, runId)),
    },
  })
  damaged.add((await host.run('Talker', 'hello', { sessionId: 'one' })).runId)
  await host.run('Talker', 'hello', { sessionId: 'two' })
  expect((await host.sessions()).map(({ sessionId }) => sessionId)).toEqual(['two'])
  await expect(host.run('Talker', 'again', { sessionId: 'one' })).rejects.toMatchObject({
    code: 'store_corrupt',
  })
  expect(await host.run('Talker', 'again', { sessionId: 'two' })).toMatchObject({ outcome: 'completed' })
})
