import { describe, expect, it } from 'vitest'
import { layoutGraph } from '../src/agents/agent-graph.tsx'

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
