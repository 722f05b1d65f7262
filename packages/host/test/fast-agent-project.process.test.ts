import { scriptedModel, type Script, type ScriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { openTeam, stdioServer, type RunningTeam } from './support/open-team.ts'

const { command, args } = stdioServer()

/** A configuration with a model for each agent, so that each has a script, and one server. */
function configFor(agents: readonly string[]): string {
  return JSON.stringify({
    default_model: '$team.other',
    model_references: {
      team: Object.fromEntries([...agents, 'other'].map((name) => [name, `generic.${name}`])),
    },
    mcp: { servers: { clock: { command, args, env: { PLACE: '${PLACE:nowhere}' } } } },
    logger: { level: 'warning' },
  })
}

const files = (cards: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(cards).map(([name, text]) => [`.fast-agent/agent-cards/${name}`, text]))

async function open(
  cards: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, Script>>,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly host: RunningTeam; readonly models: Readonly<Record<string, ScriptedModel>> }> {
  const models = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script)]),
  )
  const ids = Object.fromEntries(Object.entries(models).map(([name, model]) => [`ollama/${name}`, model]))
  const host = await openTeam(
    { '.fast-agent/fast-agent.yaml': configFor(Object.keys(scripts)), ...files(cards), ...more },
    { cards: ['.fast-agent/agent-cards'], models: ids },
  )
  expect(host.plan().problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return { host, models }
}

const agent = (name: string, keys = ''): string =>
  `---\ndescription: Does ${name}.\nmodel: $team.${name}\n${keys}---\nYou do ${name}.\n`
const echo = [{ calls: [{ tool: 'clock__echo', args: { text: 'noon' } }] }, { text: 'It is noon.' }]

describe('a fast-agent project', () => {
  it('a chain calls its agents in order, and an agent uses the server of the configuration', async () => {
    const { host, models } = await open(
      {
        'news.md': '---\ntype: chain\ndefault: true\nsequence: [reader, writer]\n---\n',
        'reader.md': agent('reader', 'servers: [clock]\ntools:\n  clock: [echo]\n'),
        'writer.md': agent('writer'),
      },
      { reader: echo, writer: [{ text: 'Noon, they say.' }] },
    )
    const report = await host.run('news', 'What time is it?')
    expect(report).toMatchObject({ outcome: 'completed', output: { text: 'Noon, they say.' } })
    expect(models['reader']?.calls[0]?.tools).toEqual(['clock__echo'])
    expect(JSON.stringify(models['writer']?.calls[0]?.prompt)).toContain('It is noon.')
  })

  it('a parallel agent calls all agents of fan_out and lets fan_in answer', async () => {
    const { host, models } = await open(
      {
        'jury.md': '---\ntype: parallel\ndefault: true\nfan_out: [a, b]\nfan_in: judge\n---\n',
        'a.md': agent('a'),
        'b.md': agent('b'),
        'judge.md': agent('judge'),
      },
      { a: [{ text: 'yes' }], b: [{ text: 'no' }], judge: [{ text: 'perhaps' }] },
    )
    expect(await host.run('jury', 'Is it?')).toMatchObject({ output: { text: 'perhaps' } })
    expect(JSON.stringify(models['judge']?.calls[0]?.prompt)).toMatch(/yes.*no/su)
  })

  it('a router calls the agent that its model chooses', async () => {
    const { host, models } = await open(
      {
        'front.md': '---\ntype: router\ndefault: true\nmodel: $team.front\nagents: [sales, help]\n---\n',
        'sales.md': agent('sales'),
        'help.md': agent('help', 'servers: [clock]\n'),
      },
      { front: [{ text: '{"agent":"help"}' }], sales: [], help: echo },
    )
    expect(await host.run('front', 'Help!')).toMatchObject({ output: { text: 'It is noon.' } })
    expect(models['sales']?.calls).toEqual([])
  })

  it('an evaluator_optimizer revises until the rating suffices', async () => {
    const { host } = await open(
      {
        'polish.md':
          '---\ntype: evaluator_optimizer\ndefault: true\ngenerator: writer\nevaluator: critic\nmin_rating: GOOD\n---\n',
        'writer.md': agent('writer'),
        'critic.md': agent('critic'),
      },
      {
        writer: [{ text: 'draft' }, { text: 'better draft' }],
        critic: [
          { text: '{"rating":"POOR","feedback":"dull"}' },
          { text: '{"rating":"GOOD","feedback":""}' },
        ],
      },
    )
    expect(await host.run('polish', 'Write.')).toMatchObject({ output: { text: 'better draft' } })
  })

  it('an orchestrator without a model plans with the default model of the configuration', async () => {
    const plan = (done: boolean): string =>
      JSON.stringify({ done, tasks: done ? [] : [{ agent: 'finder', task: 'find it' }] })
    const { host, models } = await open(
      {
        'chief.md': '---\ntype: orchestrator\ndefault: true\nagents: [finder]\n---\nYou plan.\n',
        'finder.md': agent('finder', 'servers: [clock]\n'),
      },
      { other: [{ text: plan(false) }, { text: plan(true) }, { text: 'Found at noon.' }], finder: echo },
    )
    expect(await host.run('chief', 'Find it.')).toMatchObject({ output: { text: 'Found at noon.' } })
    expect(JSON.stringify(models['finder']?.calls[0]?.prompt)).toContain('find it')
  })

  it('agents are tools of their parent, and tool cards are tools of the default agent only', async () => {
    const { host, models } = await open(
      {
        'helper.md': agent('helper'),
        'lead.md': agent('lead', 'default: true\nagents: [helper]\n'),
      },
      {
        lead: [{ calls: [{ tool: 'agent__search', args: { text: 'x' } }] }, { text: 'Done.' }],
        helper: [{ text: 'unused' }],
        search: echo,
      },
      {
        '.fast-agent/tool-cards/search.md': agent('search', 'tool_only: true\nservers: [clock]\n'),
        '.fast-agent/tool-cards/notes.md': 'Without front matter, this is not a card.\n',
      },
    )
    expect(await host.run('lead', 'Go.')).toMatchObject({ output: { text: 'Done.' } })
    expect(models['lead']?.calls[0]?.tools).toEqual(['agent__helper', 'agent__search'])
    expect(models['search']?.calls[0]?.tools).toContain('clock__echo')
    const { agents } = host.plan()
    expect(agents.find(({ name }) => name === 'helper')?.children).toEqual([])
  })

  it('the prompt of an agent contains AGENTS.md, included files and the date', async () => {
    const { host, models } = await open(
      { 'plain.md': '---\ndescription: d\nmodel: $team.plain\n---\n' },
      { plain: [{ text: 'ok' }] },
      { 'AGENTS.md': 'Use {{file:.env}} tabs.\n' },
    )
    await host.run('plain', 'hello')
    const system = JSON.stringify(models['plain']?.calls[0]?.prompt[0])
    expect(system).toContain('Use {{file:.env}} tabs.')
    expect(system).toContain(host.path)
    expect(system).toMatch(/Today is \d+ \w+ 20\d\d\./u)
  })
})
