import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const SERVER = {
  command: process.execPath,
  args: [join(import.meta.dirname, 'support/asking-server.mjs')],
  startTimeout: '10m',
}

function team(more: object): Parameters<typeof openTeam>[0] {
  return {
    'a.md': card({ name: 'A', model: 'm', servers: ['one'], limits: { maxTokens: 100_000 } }),
    'troupe.json': JSON.stringify({ mcpServers: { one: { ...SERVER, ...more } } }),
  }
}

/** Returns what the server got from its client, from the result of its tool. */
function gotten(events: ReturnType<typeof recordEvents>): Readonly<Record<string, unknown>> {
  const [part] = events.of('tool-result')[0]?.content ?? []
  return JSON.parse(part?.type === 'text' ? part.text : '') as Readonly<Record<string, unknown>>
}

describe('an MCP server that asks for models and folders', () => {
  it('a server with sampling: allow and roots uses the model of the agent, whose run pays for it', async () => {
    const m = scriptedModel([{ calls: [{ tool: 'one__ask' }] }, { text: 'Blue.' }, { text: 'done' }])
    const host = await openTeam(team({ sampling: 'allow', roots: ['data'] }), { models: { m } })
    const events = recordEvents()
    const report = await host.run('A', 'go', { onEvent: events.listener, clientInstructions: 'Be brief.' })
    expect(report).toMatchObject({
      outcome: 'completed',
      output: { text: 'done' },
      usage: { modelCalls: 3, inputTokens: 30 },
    })
    const { offered, roots, sample } = gotten(events)
    expect(offered).toEqual(expect.arrayContaining(['sampling', 'roots']))
    expect(roots).toEqual({ roots: [{ uri: expect.stringMatching(/^file:\/\/.*\/data$/u) }] })
    expect(roots).not.toEqual({ roots: [{ uri: pathToFileURL(join(process.cwd(), 'data')).href }] })
    expect(sample).toMatchObject({ role: 'assistant', content: { type: 'text', text: 'Blue.' } })
    // nothing of the conversation, and no instructions of the client
    expect(m.calls[1]?.prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Which color?' }] }])
    expect(m.calls[1]?.options.maxOutputTokens).toBe(20)
  })

  it('a server gets neither models nor folders by default', async () => {
    const m = scriptedModel([{ calls: [{ tool: 'one__ask' }] }, { text: 'done' }])
    const host = await openTeam(team({}), { models: { m } })
    const events = recordEvents()
    expect(await host.run('A', 'go', { onEvent: events.listener })).toMatchObject({
      output: { text: 'done' },
    })
    expect(gotten(events)).toEqual({
      offered: ['elicitation'],
      roots: { error: expect.stringContaining('not found') },
      sample: { error: expect.stringContaining('not found') },
    })
    expect(m.calls).toHaveLength(2)
  })

  it('a server cannot use the model in a run that is recorded', async () => {
    const m = scriptedModel([{ calls: [{ tool: 'one__ask' }] }, { text: 'done' }])
    const host = await openTeam(team({ sampling: 'allow' }), { models: { m } })
    const events = recordEvents()
    let recording = ''
    await host.run('A', 'go', { onEvent: events.listener, record: (text) => void (recording = text) })
    expect(gotten(events)['sample']).toEqual({ error: expect.stringContaining('the run is recorded') })
    expect(recording).toContain('cassette: 1')
  })

  it('an invalid value of sampling is a problem of the configuration', async () => {
    const host = await openTeam(team({ sampling: 'sometimes' }), { models: { m: scriptedModel([]) } })
    expect(host.plan().problems).toMatchObject([{ severity: 'error' }])
  })
})
