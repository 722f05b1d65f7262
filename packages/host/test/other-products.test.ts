import { describe, expect, it } from 'vitest'
import { card, codes, openTeam } from './support/open-team.ts'

const model = 'passthrough'
const FOLDERS = { cards: ['.claude/agents'], model } as const

describe('an agent of another product', () => {
  it('an agent of another product whose YAML lacks quotes runs, and a parent calls it by its description', async () => {
    const host = await openTeam(
      {
        '.claude/agents/lead.md':
          '---\nname: lead\ndescription: Leads.\ntools: Agent(reader)\n---\nYou lead.\n',
        '.claude/agents/reader.md':
          '---\nname: reader\ndescription: Ask it: "why?"\\n<example>user: \'Why?\'</example>\ntools: Read\n---\nYou read.\n',
      },
      FOLDERS,
    )
    const { agents, problems } = host.plan()
    expect(problems).toEqual([])
    expect(agents.map(({ name, description }) => [name, description])).toEqual([
      ['lead', 'Leads.'],
      ['reader', 'Ask it: "why?"\n<example>user: \'Why?\'</example>'],
    ])
    expect(await host.run('lead', 'hello')).toMatchObject({ outcome: 'completed', output: { text: 'hello' } })
  })

  it.each([
    ['claude-code', '.claude/agents/a.md', 'tools: Read, mcp__notes__find, mcp__notes__list\nskills: style'],
    ['copilot', '.github/agents/a.agent.md', 'tools: [read, notes/find]'],
    ['gemini', '.gemini/agents/a.md', 'tools: [read_file, mcp_notes_find]'],
    ['opencode', '.opencode/agents/a.md', 'tools: {"*": false, read: true, notes_*: true}'],
  ])(
    'an agent of another product runs without missing servers and skills: %s',
    async (_dialect, path, keys) => {
      const host = await openTeam(
        { [path]: `---\nname: a\ndescription: Reads.\n${keys}\n---\nYou read.\n` },
        { cards: [path], model },
      )
      const { agents, problems } = host.plan()
      expect(problems.every(({ severity }) => severity === 'warning')).toBe(true)
      expect(codes(problems)).toContain('mcp_unknown_server')
      expect(agents).toMatchObject([{ runnable: true, servers: [] }])
      const warnings: string[] = []
      const result = await host.run('a', 'hello', {
        onEvent: (event) => void (event.type === 'warning' && warnings.push(event.type)),
      })
      expect(result).toMatchObject({ outcome: 'completed', output: { text: 'hello' } })
      expect(warnings).toEqual([])
    },
  )

  it('a Troupe card with missing servers or skills does not run', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, servers: ['notes'], default: true }),
      'b.md': card({ name: 'B', model, skills: ['style'] }),
    })
    const errors = host.plan().problems.filter(({ severity }) => severity === 'error')
    expect(codes(errors)).toEqual(['mcp_unknown_server', 'skill_invalid'])
  })
})

describe('the tools of a plan for another product', () => {
  it('a plan lists the tools that the card of another product leaves the agent', async () => {
    const host = await openTeam({
      'a.md': card({ name: 'A', model, runtimeTools: ['filesystem', 'shell'], tools: ['filesystem.read'] }),
    })
    const { agents, problems } = host.plan()
    expect(agents[0]?.tools.map(({ name }) => name)).toEqual(['filesystem.read'])
    const lease = await host.tools('A')
    expect(lease.tools.map(({ name }) => name)).toEqual(['filesystem.read'])
    await lease.release()
    expect(problems).toEqual([])
  })
})
