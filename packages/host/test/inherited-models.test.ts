import { defineAgent } from '@troupe/schema'
import { createPooledSessionProvider } from '@troupe/registry'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { HostOptions } from '../src/index.ts'
import { card, codes, openTeam } from './support/open-team.ts'

/** Models that call the next agent once and then answer with their own name. */
function models(): NonNullable<HostOptions['models']> {
  const answering = (name: string) =>
    scriptedModel((prompt, { tools: [tool] }) =>
      tool === undefined || prompt.some(({ role }) => role === 'tool')
        ? { text: name }
        : { calls: [{ tool, args: { text: 'x' } }] },
    )
  return { 'x/default': answering('default'), 'x/one': answering('one'), 'x/two': answering('two') }
}

const DEFAULT = { config: { defaults: { model: 'x/default' } } }

/** Runs an agent and returns the model that answered each agent. */
async function answeredBy(
  files: Readonly<Record<string, string>>,
  entry: string,
  options: Partial<HostOptions> = {},
): Promise<Readonly<Record<string, string>>> {
  const host = await openTeam(files, { models: models(), ...DEFAULT, ...options })
  const record = recordEvents()
  const result = await host.run(entry, 'x', { onEvent: record.listener })
  expect(result.outcome).toBe('completed')
  return Object.fromEntries(
    record.events.flatMap((event) => (event.type === 'usage' ? [[event.agent, event.model]] : [])),
  )
}

describe('an agent with `model: inherit`', () => {
  it('a child with `model: inherit` uses the model of each of its callers', async () => {
    const files = {
      'one.md': card({ name: 'One', model: 'x/one', agents: ['C'] }),
      'two.md': card({ name: 'Two', model: 'x/two', agents: ['C'] }),
      'c.md': card({ name: 'C', model: 'inherit' }),
    }
    expect(await answeredBy(files, 'One')).toEqual({ One: 'x/one', C: 'x/one' })
    expect(await answeredBy(files, 'Two')).toEqual({ Two: 'x/two', C: 'x/two' })
  })

  it('a child of an agent that inherits uses the model of the agent above both', async () => {
    const files = {
      'one.md': card({ name: 'One', model: 'x/one', agents: ['C'] }),
      'c.md': card({ name: 'C', model: 'inherit', agents: ['D'] }),
      'd.md': card({ name: 'D', model: 'inherit' }),
    }
    expect(await answeredBy(files, 'One')).toEqual({ One: 'x/one', C: 'x/one', D: 'x/one' })
  })

  it('an entry agent with `model: inherit` uses the default model', async () => {
    expect(await answeredBy({ 'c.md': card({ name: 'C', model: 'inherit' }) }, 'C')).toEqual({
      C: 'x/default',
    })
  })

  it('`--model` replaces `model: inherit`', async () => {
    const files = { 'c.md': card({ name: 'C', model: 'inherit' }) }
    expect(await answeredBy(files, 'C', { model: 'x/two' })).toEqual({ C: 'x/two' })
  })

  it('a pooled agent with `model: inherit` uses the model of each of its callers', async () => {
    const files = {
      'root.md': card({ name: 'Root', type: 'chain', sequence: ['One', 'Two'] }),
      'one.md': card({ name: 'One', model: 'x/one', agents: ['C'] }),
      'two.md': card({ name: 'Two', model: 'x/two', agents: ['C'] }),
      'c.md': card({ name: 'C', model: 'inherit', acquire: { pool: 1 } }),
    }
    const host = await openTeam(files, {
      models: models(),
      sessionProvider: createPooledSessionProvider(),
      ...DEFAULT,
    })
    const record = recordEvents()
    await host.run('Root', 'x', { onEvent: record.listener })
    const used = record.events.flatMap((event) =>
      event.type === 'usage' && event.agent === 'C' ? [event.model] : [],
    )
    expect(used).toEqual(['x/one', 'x/two'])
  })

  it('an agent from code may inherit the model, and needs no default model', async () => {
    const child = defineAgent({ name: 'C', description: 'd', instruction: 'i', model: 'inherit' })
    const root = defineAgent({ name: 'R', instruction: 'i', model: 'x/one', agents: [child] })
    const host = await openTeam({}, { cards: [root], models: models() })
    expect(codes(host.plan().problems)).not.toContain('model_unset')
    expect((await host.run('R', 'x')).outcome).toBe('completed')
  })

  it.each([
    ['without a caller', { 'c.md': card({ name: 'C', model: 'inherit' }) }, ['C']],
    [
      'called by an agent with a model',
      {
        'a.md': card({ name: 'A', model: 'x/one', agents: ['C'] }),
        'c.md': card({ name: 'C', model: 'inherit' }),
      },
      [],
    ],
  ])(
    'check warns of an agent %s that inherits its model without a default model',
    async (_name, files, expected) => {
      const host = await openTeam(files, { models: models() })
      const { problems } = host.plan()
      expect(problems.filter(({ code }) => code === 'model_unset').map(({ agent }) => agent)).toEqual(
        expected,
      )
      const [first] = expected
      if (first === undefined) return
      expect(problems).toMatchObject([
        { severity: 'warning', line: 4, message: expect.stringContaining('no agent calls this one') },
      ])
      expect(await host.run(first, 'x')).toMatchObject({ error: { code: 'model_unset' } })
    },
  )

  it('an agent of Claude Code with `model: inherit` uses the model of its caller', async () => {
    const files = {
      '.claude/agents/lead.md':
        '---\nname: lead\ndescription: d\nmodel: x/one\ntools: Agent(helper)\n---\nLead.\n',
      '.claude/agents/helper.md':
        '---\nname: helper\ndescription: d\nmodel: inherit\ntools: ""\n---\nHelp.\n',
    }
    const used = await answeredBy(files, 'lead', { cards: ['.claude/agents'] })
    expect(used).toEqual({ lead: 'x/one', helper: 'x/one' })
  })
})
