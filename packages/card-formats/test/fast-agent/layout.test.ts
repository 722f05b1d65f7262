import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { readProjectCard, type ProjectFiles } from './project.ts'

const card = (keys = ''): string => `---\ndescription: d\n${keys}---\nHelp.\n`

describe('the folders of a fast-agent project', () => {
  const agents = (file: string, files: ProjectFiles, entry?: string): unknown =>
    readProjectCard(file, files, { entry }).definition?.agents
  const A = '.fast-agent/agent-cards/a.md'
  const B = '.fast-agent/agent-cards/b.md'
  const tool = {
    '.fast-agent/tool-cards/find it.md': card(),
    '.fast-agent/tool-cards/notes.md': 'not a card',
  }

  it('tool cards become agents of the first agent card', () => {
    const files = { [A]: card(), [B]: card(), ...tool }
    expect(agents(A, files)).toEqual(['../tool-cards/find it.md'])
    expect(agents(B, files)).toEqual([])
  })

  it('tool cards become agents of the default card', () => {
    const files = { [A]: card(), [B]: card('default: true\n'), ...tool }
    expect(agents(A, files)).toEqual([])
    expect(agents(B, files)).toEqual(['../tool-cards/find it.md'])
  })

  it.each(['b', '/p/.fast-agent/agent-cards/b.md'])(
    'tool cards become agents of the card that the user chose: %s',
    (entry) => {
      const files = { [A]: card('default: true\n'), [B]: card(), ...tool }
      expect(agents(A, files, entry)).toEqual([])
      expect(agents(B, files, entry)).toEqual(['../tool-cards/find it.md'])
    },
  )

  it('a chosen card that is no ordinary agent gets no tool cards, and neither does any other', () => {
    const files = { [A]: card('default: true\n'), [B]: card('type: smart\n'), ...tool }
    expect([agents(A, files, 'b'), agents(B, files, 'b')]).toEqual([[], []])
  })

  it(`tool cards are not added to a card that is only a tool, or is no ordinary agent ${verifies('R4')}`, () => {
    const files = { [A]: card('tool_only: true\n'), [B]: card('type: smart\n'), ...tool }
    expect([agents(A, files), agents(B, files)]).toEqual([[], []])
  })

  it('names of agents in the other folder become paths, and no agent is listed twice', () => {
    const files = { [A]: card('agents: [find_it, b]\n'), [B]: card(), ...tool }
    expect(agents(A, files)).toEqual(['../tool-cards/find it.md', 'b'])
    const back = { ...files, '.fast-agent/tool-cards/find it.md': card('agents: [b]\n') }
    expect(agents('.fast-agent/tool-cards/find it.md', back)).toEqual(['../agent-cards/b.md'])
  })
})

describe('a card outside .fast-agent', () => {
  const format = (file: string, files: ProjectFiles): string => readProjectCard(file, files).dialect

  it.each([
    ['team/a.md', 'fast-agent.yaml', 'model: sonnet\n', 'fast-agent'],
    ['team/a.md', 'team/fastagent.config.yaml', 'agents: [b]\n', 'fast-agent'],
    ['a.md', '.fast-agent/fast-agent.yaml', '', 'fast-agent'],
    ['a.md', 'fast-agent.yaml', 'permissions: {deny: [x]}\n', 'troupe'],
    ['a.md', 'elsewhere/fast-agent.yaml', 'model: sonnet\n', 'troupe'],
    ['agent-cards/a.md', 'x.txt', 'type: agent\n', 'fast-agent'],
    ['agent-cards/a.md', 'x.txt', '', 'troupe'],
  ])('the card %s beside %s with %j is read as %s', (file, config, keys, dialect) => {
    expect(format(file, { [file]: card(keys), [config]: '{}\n' })).toBe(dialect)
  })

  it('a card with hooks by phase is read as one of fast-agent, wherever it is', () => {
    const hooks = 'tool_hooks: {before_tool_call: h.py:f}\n'
    expect(format('a.md', { 'a.md': card(hooks) })).toBe('fast-agent')
    expect(format('a.md', { 'a.md': card(`${hooks}permissions: {deny: [x]}\n`) })).toBe('fast-agent')
    expect(format('a.md', { 'a.md': card('tool_hooks: [h.py:f]\n') })).toBe('troupe')
  })

  it('a card beside a troupe.json stays a Troupe card', () => {
    expect(format('a.md', { 'a.md': card(), 'fast-agent.yaml': '{}\n', 'troupe.json': '{}' })).toBe('troupe')
  })

  it('a composition in YAML is found in a folder with a configuration of fast-agent', () => {
    expect(format('c.yaml', { 'c.yaml': 'type: chain\nsequence: [a]\n', 'fast-agent.yaml': '{}\n' })).toBe(
      'fast-agent',
    )
  })

  it('a configuration is not a card', () => {
    const files = { 'fast-agent.yaml': 'skills: {}\n', 'fast-agent.secrets.yaml': 'skills: {}\n' }
    expect(Object.keys(files).map((file) => format(file, files))).toEqual(['troupe', 'troupe'])
  })

  it('the nearest configuration applies', () => {
    const files = {
      'x/y/a.md': card(),
      'x/fast-agent.yaml': 'default_model: haiku\n',
      'fast-agent.yaml': 'default_model: opus\n',
    }
    expect(readProjectCard('x/y/a.md', files).definition?.model).toEqual(['anthropic/claude-haiku-4-5'])
  })

  it('the folder of a card pack with a configuration is the project of its cards, for files and servers', () => {
    const files = {
      'pack/agent-cards/a.md': '---\ndescription: d\nmodel: sonnet\nservers: [s]\n---\n{{file:note.md}}\n',
      'pack/fast-agent.yaml': 'mcp: {servers: {s: {command: x}}}\n',
      'pack/note.md': 'Be kind.',
      'pack/agent-cards/note.md': 'Be rude.',
    }
    const { definition, problems } = readProjectCard('pack/agent-cards/a.md', files)
    expect(problems).toEqual([])
    expect(definition?.instruction).toBe('Be kind.')
    expect(definition?.mcpServers['s']).toEqual({ command: 'x', cwd: '..' })
  })
})
