import { join } from 'node:path'
import { defineAgent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { createHost, type HostOptions, type HostPlan } from '../src/index.ts'
import { card, codes, openProject } from './support/open-team.ts'

const model = 'passthrough'

async function planOf(
  files: Readonly<Record<string, string>>,
  options: Partial<HostOptions> = {},
): Promise<{ readonly plan: HostPlan; readonly path: string }> {
  const project = await openProject(files)
  const host = await createHost({ cards: ['.'], cwd: project.path, ...options })
  return { plan: host.plan(), path: project.path }
}

const childrenOf = (plan: HostPlan, name: string) =>
  plan.agents.find((agent) => agent.name === name)?.children
const errorsOf = (plan: HostPlan) => plan.problems.filter((problem) => problem.severity === 'error')

describe('the children of a card', () => {
  it(`children are found by name, by path and by glob ${verifies('A31', 'B8', 'B16', 'C17')}`, async () => {
    const { plan } = await planOf(
      {
        'team/main.md': card({
          name: 'Main',
          model,
          agents: ['Near', '../far/far.md', '../many/*.md', 'Time-*'],
        }),
        'team/near.md': card({ name: 'Near', model }),
        'team/time-1.md': card({ name: 'Time-NY', model }),
        'team/time-2.md': card({ name: 'Time-London', model }),
        'far/far.md': card({ name: 'Far', model, agents: ['Beside'] }),
        'far/beside.md': card({ name: 'Beside', model }),
        'far/stranger.md': card({ name: 'Stranger', model }),
        'many/one.md': card({ name: 'One', model }),
        'many/two.md': card({ name: 'Two', model }),
        'many/README.md': '# not a card',
      },
      { cards: ['team/main.md'] },
    )
    expect(errorsOf(plan)).toEqual([])
    expect(childrenOf(plan, 'Main')).toEqual(['Near', 'Far', 'One', 'Two', 'Time-NY', 'Time-London'])
    expect(childrenOf(plan, 'Far')).toEqual(['Beside'])
    expect(plan.agents.map((agent) => agent.name)).not.toContain('Stranger')
    expect(plan.entry).toBe('Main')
  })

  it('children are found first in the same file if a file has several agents', async () => {
    const file = (words: string): string =>
      JSON.stringify({
        agents: {
          root: { model: 'openai/gpt-5-mini', instruction: words, sub_agents: ['helper'] },
          helper: { model: 'openai/gpt-5-mini', description: words, instruction: 'You help.' },
        },
      })
    const { plan } = await planOf(
      { 'one.yaml': file('One.'), 'two.yaml': file('Two.') },
      { cards: ['one.yaml'], model },
    )
    expect(errorsOf(plan)).toEqual([])
    expect(plan.agents.map(({ name, description }) => [name, description])).toContainEqual(['helper', 'One.'])
  })

  it('children are found in a file with comments that another product stores beside the card', async () => {
    const { plan } = await planOf(
      {
        'main.md': card({ name: 'Main', model, default: true, agents: ['opencode.jsonc'] }),
        'opencode.jsonc': '// ours\n{"agent": {"helper": {"description": "Helps", "prompt": "You help."}}}',
      },
      { cards: ['main.md'], model },
    )
    expect(errorsOf(plan)).toEqual([])
    expect(childrenOf(plan, 'Main')).toEqual(['helper'])
  })

  it(`children are found in further cards and in the agents of the configuration ${verifies('B19', 'C14')}`, async () => {
    const { plan } = await planOf(
      {
        'troupe.json': JSON.stringify({ agents: ['shared', 'globs/*.md'] }),
        'team/main.md': card({ name: 'Main', model, agents: ['Extra', 'Shared', 'Globbed'] }),
        'extra.md': card({ name: 'Extra', model, default: true }),
        'shared/shared.md': card({ name: 'Shared', model }),
        'shared/unused.md': card({ name: 'Unused', model }),
        'globs/g.md': card({ name: 'Globbed', model }),
      },
      { cards: ['team'], extraCards: ['extra.md'] },
    )
    expect(errorsOf(plan)).toEqual([])
    expect(plan.entry).toBe('Main')
    expect(childrenOf(plan, 'Main')).toEqual(['Extra', 'Shared', 'Globbed'])
    expect(plan.agents.map((agent) => agent.name).toSorted()).toEqual(['Extra', 'Globbed', 'Main', 'Shared'])
  })

  it(`children can be definitions in code, including nested ones ${verifies('A30')}`, async () => {
    const grandchild = defineAgent({ name: 'C', instruction: 'x', model })
    const child = defineAgent({ name: 'B', instruction: 'x', model, agents: [grandchild] })
    const parent = defineAgent({ name: 'A', instruction: 'x', model, agents: [child, 'D'] })
    const { plan } = await planOf(
      {},
      { cards: [parent, defineAgent({ name: 'D', instruction: 'x', model })] },
    )
    expect(errorsOf(plan)).toEqual([])
    expect(plan.entry).toBe('A')
    expect(plan.agents.map((agent) => [agent.name, agent.children, agent.height])).toEqual([
      ['A', ['B', 'D'], 2],
      ['D', [], 0],
      ['B', ['C'], 1],
      ['C', [], 0],
    ])
  })

  it('two identical definitions in code are one agent as a child', async () => {
    const make = () => defineAgent({ name: 'B', instruction: 'x', model })
    const parent = defineAgent({ name: 'A', instruction: 'x', model, agents: [make(), make()] })
    const { plan } = await planOf({}, { cards: [parent] })
    expect(plan.problems).toEqual([])
    expect(childrenOf(plan, 'A')).toEqual(['B'])
    const other = defineAgent({ name: 'B', instruction: 'y', model })
    const two = defineAgent({ name: 'A', instruction: 'x', model, agents: [make(), other] })
    expect(codes((await planOf({}, { cards: [two] })).plan.problems)).toContain('card_duplicate_name')
  })

  it('cards with the same text in two folders are two agents, because their relative paths differ', async () => {
    const make = (folder: string) =>
      defineAgent({ name: 'B', instruction: 'x', model, functionTools: ['code.ts:say'] }, { folder })
    const files = { 'one/code.ts': 'export const say = () => 1', 'two/code.ts': 'export const say = () => 2' }
    const cards = (...folders: readonly string[]) => [
      defineAgent({ name: 'A', instruction: 'x', model, agents: folders.map(make) }),
    ]
    const { plan } = await planOf(files, { cards: cards('one', 'one') })
    expect(codes(plan.problems)).not.toContain('card_duplicate_name')
    const two = await planOf(files, { cards: cards('one', 'two') })
    expect(codes(two.plan.problems)).toContain('card_duplicate_name')
  })

  it('an unknown child is a problem of the card, with the closest name', async () => {
    const { plan, path } = await planOf({
      'main.md': card({ name: 'Main', default: true, model, agents: ['NY-Tiem', 'Gone*'] }),
      'ny.md': card({ name: 'NY-Time', model }),
    })
    expect(plan.problems.filter((problem) => problem.code === 'agent_unknown')).toMatchObject([
      {
        severity: 'error',
        agent: 'Main',
        file: join(path, 'main.md'),
        message: 'There is no agent "NY-Tiem"; did you mean "NY-Time"?',
      },
      { severity: 'warning', agent: 'Main', message: '"Gone*" in agents matches no card.' },
    ])
    expect(plan.agents.find((agent) => agent.name === 'Main')?.runnable).toBe(false)
    expect(plan.agents.find((agent) => agent.name === 'NY-Time')?.runnable).toBe(true)
  })

  it('two files with agents of the same name are one error that names both, and one at the card that calls the agent', async () => {
    const { plan, path } = await planOf({
      'main.md': card({ name: 'Main', default: true, model, agents: ['Twin'] }),
      'a.md': card({ name: 'Twin', model }),
      'b.md': card({ name: 'Twin', model }, 'Other.'),
    })
    const duplicates = plan.problems.filter((problem) => problem.code === 'card_duplicate_name')
    expect(duplicates.map((problem) => problem.file)).toEqual(
      ['b.md', 'main.md'].map((file) => join(path, file)),
    )
    for (const { message } of duplicates) expect(message).toMatch(/a\.md and .*b\.md/u)
    expect(plan.agents.map((agent) => agent.runnable)).toEqual([false, false])
  })

  it('children with errors stop only their parent from running', async () => {
    const { plan, path } = await planOf({
      'main.md': card({ name: 'Main', default: true, model, agents: ['bad', 'good'] }),
      'bad.md': '---\nname: bad\nmodle: x\n---\nHelp.',
      'good.md': card({ name: 'good', model }),
    })
    expect(errorsOf(plan)).toMatchObject([
      { code: 'card_unknown_key', file: join(path, 'bad.md'), line: 3 },
      { code: 'agent_unknown', agent: 'Main', message: expect.stringContaining('bad.md') },
    ])
    expect(plan.agents.map((agent) => [agent.name, agent.runnable])).toEqual([
      ['good', true],
      ['Main', false],
    ])
  })

  it(`children that call each other in a cycle are an error with the path ${verifies('C49')}`, async () => {
    const { plan } = await planOf({
      'a.md': card({ name: 'A', default: true, model, agents: ['B', 'D'] }),
      'b.md': card({ name: 'B', model, agents: ['C'] }),
      'c.md': card({ name: 'C', model, agents: ['B'] }),
      'd.md': card({ name: 'D', model, agents: ['*'] }),
      'e.md': card({ name: 'E', model }),
      'f.md': card({ name: 'F', model, agents: ['F'] }),
    })
    const cycles = plan.problems.filter((problem) => problem.code === 'agent_cycle')
    expect(cycles.map((problem) => problem.message)).toEqual([
      'Agents call each other in a cycle: B -> C -> B.',
      'Agents call each other in a cycle: A -> D -> A.',
      'Agents call each other in a cycle: F -> F.',
    ])
    expect(plan.agents.filter((agent) => agent.runnable).map((agent) => agent.name)).toEqual(['E'])
    expect(codes(errorsOf(plan))).toEqual(['agent_cycle', 'agent_cycle', 'agent_cycle'])
  })
})

describe('the entry of a team', () => {
  const a = card({ name: 'A', model, agents: ['B'] })
  const b = card({ name: 'B', model })
  const c = card({ name: 'C', model })
  const isDefault = card({ name: 'C', model, default: true })

  it('the entry of a team is the named agent, the default one, or the one that no other agent calls', async () => {
    const free = await planOf({ 'a.md': a, 'b.md': b })
    expect(free.plan.entry).toBe('A')
    const chosen = await planOf({ 'a.md': a, 'b.md': b, 'c.md': isDefault })
    expect(chosen.plan.entry).toBe('C')
    const named = await planOf({ 'a.md': a, 'b.md': b, 'c.md': isDefault }, { entry: 'B' })
    expect(named.plan.entry).toBe('B')
  })

  it('the entry of a team is the given file if there is only one', async () => {
    const { plan } = await planOf({ 'a.md': a, 'b.md': b, 'c.md': isDefault }, { cards: ['b.md'] })
    expect(plan.entry).toBe('B')
    expect(plan.agents.map((agent) => agent.name)).toEqual(['B'])
  })

  it('the entry of a team is never a hidden agent', async () => {
    const hidden = card({ name: 'H', model, hidden: true })
    const { plan } = await planOf({ 'c.md': c, 'h.md': hidden })
    expect(plan.entry).toBe('C')
  })

  it('the entry of a team is an error with all names if it is ambiguous', async () => {
    const several = await planOf({ 'b.md': b, 'c.md': c })
    expect(several.plan.entry).toBeUndefined()
    expect(errorsOf(several.plan)).toMatchObject([
      {
        code: 'agent_ambiguous',
        message: 'The team has no default agent, and several agents could be the entry: B, C.',
      },
    ])
    expect(several.plan.agents.every((agent) => agent.runnable)).toBe(true)
    const two = await planOf({ 'b.md': card({ name: 'B', model, default: true }), 'c.md': isDefault })
    expect(errorsOf(two.plan)).toMatchObject([
      { code: 'agent_ambiguous', message: expect.stringContaining('B, C') },
    ])
  })

  it('the entry of a team is an error if its name is unknown or there are no cards', async () => {
    const unknown = await planOf({ 'b.md': card({ name: 'Beta', model }) }, { entry: 'beat' })
    expect(errorsOf(unknown.plan)).toMatchObject([
      { code: 'agent_unknown', message: expect.stringContaining('did you mean "Beta"?') },
    ])
    const nothing = await planOf({ 'x.txt': '' })
    expect(codes(errorsOf(nothing.plan))).toEqual(['agent_unknown'])
    const missing = await planOf({}, { cards: ['gone.md'] })
    expect(codes(errorsOf(missing.plan))).toContain('card_unreadable')
  })

  it('the plan gives a problem no position if the file cannot be read, and else the start of the file', async () => {
    const { plan } = await planOf({ 'a.md': card({}) }, { cards: ['a.md', 'gone.md'] })
    expect(plan.problems.find(({ code }) => code === 'card_unreadable')).not.toHaveProperty('line')
    expect(plan.problems.find(({ code }) => code === 'model_unset')).toMatchObject({ line: 1, column: 1 })
  })

  it('settings change only the entry of a team, not its children', async () => {
    const { plan } = await planOf(
      { 'a.md': a, 'b.md': b, 'c.md': card({ name: 'C', model }) },
      { cards: ['a.md'], set: { agents: ['C'], model: 'passthrough/x' } },
    )
    expect(plan.agents.map((agent) => [agent.name, agent.children, agent.models])).toEqual([
      ['A', ['C'], ['passthrough/x']],
      ['C', [], ['passthrough']],
    ])
  })
})

it('a missing child is reported at the position of its reference', async () => {
  const { plan } = await planOf({
    'A.md': '---\ndescription: a\nmodel: passthrough\nagents:\n  - B\n  - Unknown\n---\nGo.\n',
    'B.md': '---\ndescription: b\nmodel: passthrough\n---\nGo.\n',
  })
  expect(plan.problems).toMatchObject([{ code: 'agent_unknown', line: 6, column: 5, agent: 'A' }])
})
