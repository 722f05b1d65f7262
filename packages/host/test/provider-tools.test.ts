import type { RunEvent } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer, type FakeProvider } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const env = { OPENAI_API_KEY: 'sk-12345678' }
const MODEL = 'openai/gpt-5-mini'

const HOOK = 'export const check = (ctx, args, next) => next(args)\n'

/** Returns the problems of a card with a web search of its provider. */
async function problemsOf(
  fields: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly { readonly code: string; readonly message: string }[]> {
  const host = await openTeam(
    { 'a.md': card({ name: 'A', model: MODEL, providerTools: ['web_search'], ...fields }), ...files },
    { env },
  )
  return host.plan().problems.filter(({ severity }) => severity === 'error')
}

describe('restrictions of tools that the provider executes', () => {
  it('a card with a tool of its provider and no restriction has no errors', async () => {
    expect(await problemsOf({})).toEqual([])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['toolPermission', { toolPermission: 'always' }],
    ['requiresApproval', { requiresApproval: ['provider.*'] }],
    ['permissions', { permissions: { ask: ['provider.web_search'] } }],
  ])('an approval by %s is an error, because the provider does not wait for one', async (_key, fields) => {
    expect(await problemsOf(fields)).toMatchObject([
      { code: 'card_bad_value', message: expect.stringContaining('need approval') },
    ])
  })

  it('a hook that applies to tools of the provider is an error, because it cannot see their calls', async () => {
    const files = { 'hooks.mjs': HOOK }
    expect(await problemsOf({ toolHooks: ['hooks.mjs:check'] }, files)).toMatchObject([
      { code: 'card_bad_value', message: expect.stringContaining('cannot see calls of the provider') },
    ])
    const redact = (more: object): object => ({ use: 'troupe:redact', ...more })
    expect(await problemsOf({ toolHooks: [redact({})] })).toMatchObject([{ code: 'card_bad_value' }])
    expect(await problemsOf({ toolHooks: [redact({ sources: ['mcp'] })] })).toEqual([])
  })

  it('a model whose provider does not have the tool is an error, also as a fallback', async () => {
    expect(await problemsOf({ model: [MODEL, 'ollama/llama3'] })).toMatchObject([
      {
        code: 'card_bad_value',
        message: expect.stringContaining('ollama/llama3 does not execute web_search'),
      },
    ])
  })
})

async function runWith(
  files: Readonly<Record<string, string>>,
  answers: readonly FakeAnswer[],
): Promise<{
  readonly fake: FakeProvider
  readonly events: readonly RunEvent[]
  readonly outcome: string
  readonly text: string | undefined
}> {
  const fake = await startFakeOpenAI({ answers })
  onTestFinished(() => fake.close())
  const config = { providers: { openai: { baseURL: fake.baseURL, api: 'responses' } } }
  const host = await openTeam({ 'troupe.json': JSON.stringify(config), ...files }, { env })
  const events: RunEvent[] = []
  const { outcome, output } = await host.run('A', 'Hi', { onEvent: (event) => void events.push(event) })
  return { fake, events, outcome, text: output.text }
}

const toolsOf = ({ requests }: FakeProvider, index: number): unknown =>
  (requests[index]?.body as { readonly tools?: unknown } | undefined)?.tools

describe('a run with a tool that the provider executes', () => {
  const a = card({ name: 'A', model: MODEL, providerTools: ['web_search'], agents: ['B'] })
  const b = card({ name: 'B', model: MODEL, providerTools: ['web_search'] })

  it('calls of the provider and their results are events, and the run continues after them', async () => {
    const { events, outcome, text, fake } = await runWith({ 'a.md': a, 'b.md': b }, [
      { searches: ['news of today'], calls: [{ name: 'agent__B', args: { message: 'Hi' } }] },
      { text: 'B is here.' },
      { text: 'Done.' },
    ])
    expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'Done.' })
    expect(toolsOf(fake, 0)).toMatchObject([{ type: 'web_search' }, { name: 'agent__B' }])
    const found = events.filter(
      (event) => (event.type === 'tool-call' || event.type === 'tool-result') && event.source === 'provider',
    )
    expect(found).toMatchObject([
      { type: 'tool-call', toolName: 'provider.web_search', callId: 'provider-1.1', turn: 1 },
      {
        type: 'tool-result',
        toolName: 'provider.web_search',
        callId: 'provider-1.1',
        outcome: 'completed',
        content: [{ type: 'text', text: expect.stringContaining('news of today') }],
      },
    ])
  })

  it('a child does not get a tool of the provider that a rule of its parent denies', async () => {
    const parent = card({
      name: 'A',
      model: MODEL,
      agents: ['B'],
      permissions: { deny: ['provider.*'] },
      providerTools: ['web_search'],
    })
    const { fake, outcome } = await runWith({ 'a.md': parent, 'b.md': b }, [
      { calls: [{ name: 'agent__B', args: { message: 'Hi' } }] },
      { text: 'B is here.' },
      { text: 'Done.' },
    ])
    expect(outcome).toBe('completed')
    expect(JSON.stringify(toolsOf(fake, 0))).not.toContain('web_search')
    expect(toolsOf(fake, 1)).toBeUndefined()
  })

  it('a run of a child fails if its parent wants every call approved', async () => {
    const parent = card({
      name: 'A',
      model: MODEL,
      agents: ['B'],
      toolPermission: 'always',
      permissions: { allow: ['agent.*', 'agent__*', 'B'] },
    })
    const { events } = await runWith({ 'a.md': parent, 'b.md': b }, [
      { calls: [{ name: 'agent__B', args: { message: 'Hi' } }] },
      { text: 'Done.' },
    ])
    const [result] = events.filter((event) => event.type === 'tool-result')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'card_bad_value' } })
  })
})
