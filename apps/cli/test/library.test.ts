import path from 'node:path'
import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel, startFakeOpenAI } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createHost, openSession, openStore, resolveModel, runAgent } from '../src/index.ts'
import { createClient } from '../src/library/client.ts'
import { createServer } from '../src/library/server.ts'
import { createMemoryStore } from '../src/library/store.ts'

afterEach(() => vi.unstubAllEnvs())

async function greeterCard(): Promise<string> {
  const project = await tempProject({
    'greeter.md': '---\nname: greeter\nmodel: openai/gpt-5-mini\n---\nGreet.',
  })
  onTestFinished(() => project.remove())
  return path.join(project.path, 'greeter.md')
}

it('createHost of the library reads provider keys and addresses from the environment of the process', async () => {
  const provider = await startFakeOpenAI({ apiKey: 'sk-of-the-shell', answers: [{ text: 'Good day.' }] })
  onTestFinished(() => provider.close())
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-shell')
  vi.stubEnv('OPENAI_BASE_URL', provider.baseURL)
  const host = await createHost({ cards: [await greeterCard()], config: false })
  onTestFinished(() => host.close())
  const report = await host.run('greeter', 'Hello')
  expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Good day.' } })
})

it('createHost of the library reads no variable of the process if it is given an environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-the-shell')
  const host = await createHost({ cards: [await greeterCard()], config: false, env: {} })
  onTestFinished(() => host.close())
  const report = await host.run('greeter', 'Hello')
  expect(report).toMatchObject({ outcome: 'failed', error: { code: 'env_missing' } })
})

const ADD = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

/** A model that calls the tool `add` and then answers. */
function adder(answer: string) {
  return scriptedModel((_, { index }) =>
    index === 0 ? { calls: [{ tool: 'add', args: { a: 20, b: 22 } }] } : { text: answer },
  )
}

it('runAgent runs an agent with a tool, and reports its events and its usage', async () => {
  const events: string[] = []
  const result = await runAgent(
    {
      model: adder('It is 42.'),
      instruction: 'Add.',
      tools: [ADD],
      onEvent: ({ type }) => void events.push(type),
    },
    'What is 20 + 22?',
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'It is 42.', usage: { toolCalls: 1 } })
  expect(events.filter((type) => type.startsWith('tool-'))).toEqual([
    'tool-call',
    'tool-start',
    'tool-result',
  ])
})

it('the type of a completed result of runAgent is that of its output schema', async () => {
  const result = await runAgent(
    {
      model: adder('{"sum": 42}'),
      instruction: 'Add.',
      tools: [ADD],
      output: { schema: z.object({ sum: z.number() }) },
    },
    'What is 20 + 22?',
  )
  if (result.outcome !== 'completed') throw new Error(`outcome ${result.outcome}`)
  const sum: number = result.value.sum
  expect(sum).toBe(42)
})

it('runAgent resolves with the error of a run that fails, and rejects an invalid agent', async () => {
  const env = {}
  const failed = await runAgent({ model: 'openai/gpt-5-mini', instruction: 'Greet.', env }, 'Hello')
  if (failed.outcome === 'completed' || failed.outcome === 'partial') throw new Error('it has an answer')
  expect([failed.outcome, failed.error.code]).toEqual(['failed', 'env_missing'])
  expect(failed.error.remediation).toBe('Define it in one of these places, or pass it in `env`.')
  const limits = { maxTurns: -1 }
  await expect(runAgent({ model: adder(''), instruction: 'Add.', limits }, 'Hi')).rejects.toMatchObject({
    code: 'card_bad_value',
  })
})

it('a store that is named by its path keeps the runs of the library until it is opened again', async () => {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  const store = path.join(project.path, 'runs.db')
  const { runId } = await runAgent({ model: adder('42'), instruction: 'Add.', tools: [ADD], store }, 'Add.')
  const opened = await openStore(store)
  onTestFinished(() => opened.close())
  expect((await opened.roots()).map(({ rootRunId }) => rootRunId)).toEqual([runId])
  expect((await opened.events(runId)).at(-1)?.type).toBe('run-end')
})

it('a session of the library runs a model that is named by its id', async () => {
  const provider = await startFakeOpenAI({ apiKey: 'sk-of-the-shell', answers: [{ text: 'Good day.' }] })
  onTestFinished(() => provider.close())
  const env = { OPENAI_API_KEY: 'sk-of-the-shell', OPENAI_BASE_URL: provider.baseURL }
  const session = openSession({
    agent: { name: 'greeter', instruction: 'Greet.' },
    model: await resolveModel('openai/gpt-5-mini', { env }),
  })
  expect(await session.run('Hello')).toMatchObject({ outcome: 'completed', text: 'Good day.' })
  await expect(resolveModel('openai/gpt-5-mini', { env: {} })).rejects.toMatchObject({ code: 'env_missing' })
})

it('a server of the library needs only a host and its store, and the client of the library calls it', async () => {
  const store = createMemoryStore()
  const host = await createHost({
    cards: [defineAgent({ name: 'echo', instruction: 'Repeat.', model: 'passthrough' })],
    config: false,
    env: {},
    store,
  })
  onTestFinished(() => host.close())
  const server = await createServer({ host, store, port: 0 })
  onTestFinished(() => server.close())
  const client = createClient({ url: server.url })
  expect(await client.run('echo', 'Good day.')).toMatchObject({ outcome: 'completed' })
})
