import { join } from 'node:path'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, type RunningTeam } from './support/open-team.ts'

function problemOf(host: RunningTeam): { readonly message: string; readonly fix: string } {
  const [problem, ...others] = host.plan().problems
  expect(others).toEqual([])
  return { message: problem?.message ?? '', fix: problem?.fix ?? '' }
}

describe('a folder without agents', () => {
  it('the error for a folder without agents lists the files that are not cards, with reasons and a fix', async () => {
    const host = await openTeam({
      'notes.md': 'Delete all files.',
      'README.md': '---\ndescription: d\n---\nx',
      'agent.toml': 'name = "x"',
      'data.yaml': 'a: 1',
      'troupe.json': '{}',
      'main.ts': 'export {}',
    })
    const { message, fix } = problemOf(host)
    expect(message).toBe(
      `No agent cards were found in ${host.path}: README.md is never read as a card; ` +
        'agent.toml is TOML, which is not supported; data.yaml has no `instruction`; notes.md has no front matter.',
    )
    expect(fix).toContain('start it with a line `---`')
    expect(fix).toContain('`troupe new NAME`')
  })

  it('the error for a folder without agents lists at most five files', async () => {
    const files = Array.from({ length: 9 }, (_, index) => [`n${index}.md`, 'text'])
    const { message } = problemOf(await openTeam(Object.fromEntries(files) as Record<string, string>))
    expect(message).toContain('n4.md has no front matter; 4 more files.')
  })

  it('the error for an empty folder suggests a new card and a new team', async () => {
    const host = await openTeam({ 'sub/a.md': card({ model: 'passthrough' }) })
    const { message, fix } = problemOf(host)
    expect(message).toBe(`No agent cards were found in ${host.path}.`)
    expect(fix).toBe('`troupe new NAME` creates a card, `troupe init FOLDER` a team.')
  })
})

describe('a folder of a project of another product', () => {
  const CLAUDE =
    '---\nname: reviewer\ndescription: Reviews.\ntools: Read\nmodel: passthrough\n---\nYou review.'

  it(`a folder without cards has the agents of the only product in it ${verifies('R4')}`, async () => {
    const host = await openTeam({
      '.claude/agents/deep/a.md': CLAUDE,
      'notes.md': 'x',
      '.opencode/agents/y.txt': '',
    })
    expect(host.plan().problems).toEqual([])
    expect(host.plan().agents.map(({ name }) => name)).toEqual(['reviewer'])
  })

  it('several agents of a product without entry agents are a warning, and a run needs a name', async () => {
    const host = await openTeam({
      '.claude/agents/a.md': CLAUDE,
      '.claude/agents/b.md': CLAUDE.replace('reviewer', 'tester'),
    })
    const fix = 'Name the agent to run with `--agent`.'
    expect(host.plan().problems).toMatchObject([{ severity: 'warning', code: 'agent_ambiguous', fix }])
    await expect(host.run(undefined, 'hi')).rejects.toMatchObject({
      failure: { code: 'agent_ambiguous', remediation: fix },
    })
    expect(await host.run('tester', 'hi')).toMatchObject({ outcome: 'completed' })
  })

  it('the cards of a folder come before the agents of a product in it', async () => {
    const host = await openTeam({ '.claude/agents/a.md': CLAUDE, 'own.md': card({ model: 'passthrough' }) })
    expect(host.plan().agents.map(({ name }) => name)).toEqual(['own'])
  })

  it('agents of several products are not mixed, and the error names their folders', async () => {
    const host = await openTeam({
      '.claude/agents/a.md': CLAUDE,
      '.opencode/agents/b.md': '---\ndescription: Builds.\n---\nYou build.',
    })
    const { message, fix } = problemOf(host)
    expect(message).toContain('several products have folders of agents there')
    expect(fix).toBe('Name one of them: .claude/agents, .opencode/agents.')
  })
})

it('a missing path is reported with a fix and without a message of the operating system', async () => {
  const host = await openTeam({}, { cards: ['team'] })
  const { message, fix } = problemOf(host)
  expect(message).toBe(`The file or folder ${join(host.path, 'team')} does not exist.`)
  expect(fix).toContain('Correct the path.')
  expect(fix).toContain('`troupe init FOLDER`')
})

it('a card of the team keeps its children, tools and rules with a model alias, however `models` defines it', async () => {
  const host = await openTeam({
    'troupe.json': JSON.stringify({ models: { sonnet: 'passthrough' } }),
    'lead.md': card({
      name: 'Lead',
      default: true,
      model: 'sonnet',
      agents: ['Helper'],
      permissions: { deny: ['shell.execute'] },
    }),
    'helper.md': card({ name: 'Helper', model: 'passthrough' }),
  })
  const { agents, problems } = host.plan()
  expect(problems).toEqual([])
  expect(agents).toMatchObject([
    { name: 'Helper', models: ['passthrough'], children: [] },
    { name: 'Lead', models: ['passthrough'], children: ['Helper'] },
  ])
  expect(agents.flatMap(({ tools }) => tools.map(({ name }) => name))).toEqual(['agent__Helper'])
  expect(await host.run('Lead', 'hello')).toMatchObject({ outcome: 'completed' })
})
