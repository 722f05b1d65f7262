import { defineTool } from '@troupe/schema'
import type { LogEntry, RunTreeLog, RunStore } from '@troupe/schema/ports'
import { scriptedModel } from '@troupe/testkit'
import { deferred, recordEvents, settle, verifies } from '@troupe/testkit/internal'
import { createValidator } from '@troupe/tools'
import { createDiscardingLog, openSession } from '@troupe/core'
import { createRedactor } from '@troupe/env'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runTeam, tool } from './team.ts'

const VALUE = 'canary-0123456789'
const redactor = createRedactor([{ name: 'API_KEY', value: VALUE }])

/** Returns a store that keeps its entries without redaction. */
function openStore(): { readonly store: RunStore; readonly written: LogEntry[] } {
  const written: LogEntry[] = []
  const open = (): RunTreeLog => {
    const log = createDiscardingLog()
    return {
      ...log,
      isActive: true,
      isPersistent: true,
      append: (entry) => {
        written.push(entry)
        log.append(entry)
      },
    }
  }
  return {
    store: {
      open,
      roots: () => [],
      list: () => [],
      events: () => [],
      steps: () => new Map(),
      purge: () => 0,
      setLabel: () => false,
      sessions: { list: () => [], set: () => false },
      close: () => undefined,
    },
    written,
  }
}

const FINISH = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
} as const

describe('a known secret', () => {
  it('a known secret is in no event and no step: not in the message, arguments, result or answer', async () => {
    const { store, written } = openStore()
    const { listener, events } = recordEvents()
    const echo = defineTool({
      name: 'echo',
      description: 'Echoes.',
      input: z.object({ text: z.string() }),
      execute: ({ text }) => ({ [text]: text }),
    })
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([
        { calls: [{ tool: 'echo', args: { text: VALUE } }] },
        { text: `It is ${VALUE}.` },
      ]),
      tools: [echo],
      validate: createValidator(),
      envOverlay: { API_KEY: VALUE },
      store,
      onEvent: listener,
    })
    const result = await session.run(`my key is ${VALUE}`)
    expect(result.text).toBe('It is [redacted:API_KEY].')
    expect(JSON.stringify([events, written])).not.toContain(VALUE)
    expect(events[0]).toMatchObject({ type: 'run-start', input: 'my key is [redacted:API_KEY]' })
  })

  it('a known secret is in no delta if the first listener of a run arrives in the middle of it', async () => {
    const gate = deferred()
    const texts: string[] = []
    let isFollowed = false
    const open = (): RunTreeLog => ({
      ...createDiscardingLog(),
      get hasDeltaListeners() {
        return isFollowed
      },
      emitTransient: (event) => void (event.type === 'text-delta' && texts.push(event.text)),
    })
    const [id, middle] = ['text', VALUE.length / 2]
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([
        {
          parts: [
            { type: 'text-start', id },
            { type: 'text-delta', id, delta: `It is ${VALUE.slice(0, middle)}` },
            gate.promise,
            { type: 'text-delta', id, delta: `${VALUE.slice(middle)}, not ${VALUE}.` },
            { type: 'text-end', id },
            FINISH,
          ],
        },
      ]),
      envOverlay: { API_KEY: VALUE },
      store: { ...openStore().store, open },
    })
    const running = session.run('Go.')
    await settle()
    isFollowed = true
    gate.resolve()
    await running
    expect(texts.join('')).toBe('[redacted:API_KEY], not [redacted:API_KEY].')
  })

  it('a known secret is sealed in the steps that a run is resumed from', async () => {
    const { store, written } = openStore()
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([{ text: 'ok' }]),
      envOverlay: { API_KEY: VALUE },
      store,
    })
    await session.run(`my key is ${VALUE}`)
    const begin = written.find(({ step }) => step?.key === 'begin')?.step?.value as { readonly input: string }
    expect(begin.input).toBe('my key is {{secret:API_KEY}}')
    expect(redactor?.reveal(begin.input)).toBe(`my key is ${VALUE}`)
  })

  it('a known secret is in no delta, even if it is split over several, and no other text is lost', async () => {
    const { listener, of } = recordEvents()
    const text = `Your key ${VALUE} is canary.`.split('')
    const session = openSession({
      agent: { name: 'A', instruction: 'x' },
      model: scriptedModel([{ text, reasoning: `think ${VALUE}` }]),
      envOverlay: { API_KEY: VALUE },
      onEvent: listener,
    })
    await session.run('hi')
    const shown = of('text-delta').map((event) => event.text)
    expect(shown.join('')).toBe('Your key [redacted:API_KEY] is canary.')
    expect(of('reasoning-delta').map((event) => event.text)).toEqual(['think [redacted:API_KEY]'])
  })

  it('a known secret is not shown to the approver of a call, and reaches the tool', async () => {
    const seen: unknown[] = []
    const send = tool('send', (args) => void seen.push(args), { requiresApproval: true })
    await runTeam(
      {
        A: {
          models: [scriptedModel([{ calls: [{ tool: 'send', args: { key: VALUE } }] }, { text: 'ok' }])],
          tools: [send],
        },
      },
      {
        redactor,
        approve: async ({ args }) => {
          seen.push(args)
          return { decision: 'approved' }
        },
      },
    )
    expect(seen).toEqual([{ key: '[redacted:API_KEY]' }, { key: VALUE }])
  })

  it('a known secret of a child does not reach its parent, neither in its answer nor in merged messages', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'agent__B', args: { text: VALUE } }] }, { text: 'done' }])
    const child = scriptedModel([{ text: `You said ${VALUE}.` }])
    const { listener, events } = recordEvents()
    await runTeam(
      {
        A: { models: [model], children: ['B'], fields: { historyMode: 'fork_and_merge' } },
        B: { models: [child] },
      },
      { redactor, listener },
    )
    const later = model.calls[1]?.prompt.filter(({ role }) => role !== 'assistant')
    expect(JSON.stringify([later, events])).not.toContain(VALUE)
    expect(JSON.stringify(child.calls[0]?.prompt)).toContain(VALUE)
  })
})

describe('two sessions at once', () => {
  it(`two sessions at once see and redact only their own variables ${verifies('C45')}`, async () => {
    const read = defineTool({
      name: 'read',
      description: 'Reads.',
      input: z.object({}),
      execute: (_args, ctx) => ctx.run.env('API_KEY') ?? 'none',
    })
    const open = (value: string, said: string): Promise<{ readonly text: string }> =>
      openSession({
        agent: { name: 'A', instruction: 'x' },
        model: scriptedModel([{ calls: [{ tool: 'read' }] }, { text: said }]),
        tools: [read],
        validate: createValidator(),
        envOverlay: { API_KEY: value },
      }).run('hi')
    const [one, two] = await Promise.all([
      open(VALUE, `${VALUE} other-key-123`),
      open('other-key-123', `${VALUE} other-key-123`),
    ])
    expect(one.text).toBe('[redacted:API_KEY] other-key-123')
    expect(two.text).toBe(`${VALUE} [redacted:API_KEY]`)
  })
})
