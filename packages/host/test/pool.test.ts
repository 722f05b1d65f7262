import { createPooledSessionProvider, type AcquireRequest, type SessionProvider } from '@troupe/registry'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer } from './support/open-team.ts'

const model = 'script/s.yaml'

/** The pools of a host, with what was asked of them and what had to be made. */
function watched(): SessionProvider & { readonly made: string[]; readonly keys: Set<string> } {
  const inner = createPooledSessionProvider()
  const made: string[] = []
  const keys = new Set<string>()
  const acquire = (request: AcquireRequest): ReturnType<SessionProvider['acquire']> => {
    keys.add(request.key())
    return inner.acquire({
      ...request,
      create: (options) => {
        made.push(request.request.instance)
        return request.create(options)
      },
    })
  }
  return { ...inner, acquire, made, keys }
}

const calls = (...texts: readonly string[]): object => ({
  call: texts.map((text) => ({ tool: 'agent__B', args: { text } })),
})

describe('an agent with a pool', () => {
  it(`a pool runs more children than it holds, one after the other, each from its first step ${verifies('A15', 'A16')}`, async () => {
    const sessionProvider = watched()
    const lines = {
      A: [calls('1', '2', '3'), { say: '{{results.0.text}} {{results.1.text}} {{results.2.text}}' }],
      B: [{ say: 'first of {{input}}' }, { say: 'second' }],
    }
    const host = await openTeam(
      {
        'a.md': card({ name: 'A', model, agents: ['B'], default: true }),
        'b.md': card({ name: 'B', model, acquire: { pool: 1 }, mcpServers: { srv: stdioServer() } }),
        's.yaml': JSON.stringify({ agents: lines }),
      },
      { sessionProvider },
    )
    expect(host.plan().problems).toEqual([])
    const record = recordEvents()
    const report = await host.run(undefined, 'x', { onEvent: record.listener })
    expect(report.output.text).toBe('first of 1 first of 2 first of 3')
    await host.run(undefined, 'x')
    expect(sessionProvider.made.filter((name) => name.startsWith('B'))).toEqual(['B[1]'])
    const usage = record.events.filter((event) => event.type === 'usage' && event.agent === 'B')
    expect(usage.map((event) => event.instance)).toEqual(['B[1]', 'B[2]', 'B[3]'])
    expect(sessionProvider.keys.size).toBe(2)
  })

  it('a pooled agent applies the rules of each caller only to that caller', async () => {
    const files = {
      'strict.md': card({ name: 'Strict', model, agents: ['B'], permissions: { deny: ['say'] } }),
      'loose.md': card({ name: 'Loose', model, agents: ['B'], default: true }),
      'b.md': card({ name: 'B', model, acquire: { pool: 1 }, functionTools: ['code.ts:say'] }),
      'code.ts': 'export const say = () => "said"\n',
      's.yaml': JSON.stringify({
        agents: {
          '*': [calls('x'), { say: '{{results.0.text}}' }],
          B: [{ call: [{ tool: 'say', args: {} }] }, { say: '{{results.0.text}}' }],
        },
      }),
    }
    const host = await openTeam(files)
    expect((await host.run('Strict', 'x')).output.text).toContain('forbids')
    expect((await host.run('Loose', 'x')).output.text).toBe('said')
    expect((await host.run('Strict', 'x')).output.text).toContain('forbids')
  })

  it('an agent with a server that is not shared gets new sessions and a warning instead of a pool', async () => {
    const sessionProvider = watched()
    const server = { ...stdioServer(), shared: false }
    const host = await openTeam(
      {
        'b.md': card({ name: 'B', model: 'passthrough', acquire: { pool: 1 }, mcpServers: { srv: server } }),
      },
      { sessionProvider },
    )
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
    expect(await host.run('B', 'x')).toMatchObject({ outcome: 'completed' })
    expect(sessionProvider.made).toEqual([])
  })
})
