import { describe, expect, it } from 'vitest'
import { layoutGraph, splitTeam, treeRows } from '../src/agents/graph-layout.ts'
import { failureShare, teamFigures, toolMarks, toolsText } from '../src/agents/team-figures.ts'

describe('graph layout', () => {
  it('the graph has each agent once, in the column of its longest path', () => {
    const { nodes, columns } = layoutGraph([
      { name: 'Lead', children: ['Clerk', 'Scribe'] },
      { name: 'Clerk', children: ['Scribe'] },
      { name: 'Scribe', children: [] },
    ])
    expect(nodes.map(({ name, column }) => [name, column])).toEqual([
      ['Lead', 0],
      ['Clerk', 1],
      ['Scribe', 2],
    ])
    expect(columns).toBe(3)
  })

  it('the graph marks calls that close a cycle, and its layout terminates', () => {
    const { edges } = layoutGraph([
      { name: 'A', children: ['B'] },
      { name: 'B', children: ['A', 'B'] },
    ])
    expect(edges).toEqual([
      { from: 'A', to: 'B', isBack: false },
      { from: 'B', to: 'A', isBack: true },
      { from: 'B', to: 'B', isBack: true },
    ])
  })

  it('the graph shows called agents that are not served, and centres short columns', () => {
    const { nodes, rows } = layoutGraph([{ name: 'Lead', children: ['X', 'Y', 'Z'] }])
    expect(rows).toBe(3)
    expect(nodes.find(({ name }) => name === 'Lead')?.row).toBe(1)
  })

  it('the graph of a wide and deep team is laid out quickly', () => {
    const name = (layer: number, index: number): string => `agent-${layer}-${index}`
    const agents = Array.from({ length: 12 }, (_, layer) =>
      Array.from({ length: 6 }, (__, index) => ({
        name: name(layer, index),
        children: Array.from({ length: 6 }, (___, child) => name(layer + 1, child)),
      })),
    ).flat()
    expect(layoutGraph(agents).columns).toBe(13)
  })
})

describe('a team on a narrow screen', () => {
  it('is a list in which each call is indented, and a shared agent shows its own calls once', () => {
    const rows = treeRows([
      { name: 'Lead', children: ['Clerk', 'Scribe'] },
      { name: 'Clerk', children: ['Scribe'] },
      { name: 'Scribe', children: ['Lead'] },
    ])
    expect(rows.map(({ name, depth, isRepeated }) => [name, depth, isRepeated])).toEqual([
      ['Lead', 0, false],
      ['Clerk', 1, false],
      ['Scribe', 2, false],
      ['Lead', 3, true],
      ['Scribe', 1, true],
    ])
  })

  it('agents that neither call nor are called are separated from the others', () => {
    const { linked, single } = splitTeam([
      { name: 'Lead', children: ['Clerk'] },
      { name: 'Clerk', children: [] },
      { name: 'Alone', children: [] },
    ])
    expect([linked.map(({ name }) => name), single.map(({ name }) => name)]).toEqual([
      ['Lead', 'Clerk'],
      ['Alone'],
    ])
  })
})

describe('figures of a team', () => {
  const stats = { runs: 4, failures: 1, p50Ms: 100, p95Ms: 200, recent: [] }
  const figures = teamFigures({
    rootRuns: 4,
    agents: [
      { ...stats, agent: 'Lead', meanCost: 0.4 },
      { ...stats, agent: 'Clerk', p50Ms: 50, meanCost: null },
    ],
    calls: [{ from: 'Lead', to: 'Clerk', calls: 8, failures: 0, perRun: 2 }],
  })

  it('the heat of an agent is its share of the highest value', () => {
    expect([figures.heat('Lead', 'time'), figures.heat('Clerk', 'time')]).toEqual([1, 0.5])
    expect([figures.heat('Lead', 'cost'), figures.heat('Clerk', 'cost')]).toEqual([1, 0])
    expect(figures.heat('Unknown', 'failures')).toBe(0)
    expect(figures.call('Lead', 'Clerk')?.perRun).toBe(2)
  })

  it('failures are a share of the runs, and small ones are not rounded to nothing', () => {
    expect([failureShare(stats), failureShare({ runs: 1000, failures: 1 })]).toEqual(['25 %', '< 1 %'])
    expect(failureShare({ runs: 5, failures: 0 })).toBe('')
  })

  it('the marks of an agent name what its tools can do, without denied ones', () => {
    const tool = { source: 'runtime', permission: 'allow' } as const
    const agent = {
      servers: [],
      tools: [
        { ...tool, name: 'shell.execute', permission: 'ask' as const },
        { ...tool, name: 'filesystem.write', permission: 'deny' as const },
        { ...tool, name: 'web.fetch' },
      ],
    }
    expect(toolMarks(agent)).toEqual(['shell', 'network'])
    expect(toolsText(agent)).toBe('2 tools, 1 asks')
  })
})
