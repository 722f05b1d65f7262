import { defineTool, mcpToolName, toWireName, type ToolDefinition } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { array, assert, boolean, constantFrom, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignWireNames, type ToolCandidate } from '../src/tools/assign-wire-names.ts'

const authored = (name: string, written = name): ToolCandidate => {
  const tool = defineTool({ name, description: 'x', execute: () => 'x' })
  return { tool: { ...tool, wireName: toWireName(written) }, written, from: `the function ${name}` }
}
const listed = (server: string, tool: string): ToolCandidate => {
  const name = mcpToolName(server, tool)
  const base = defineTool({ name, description: 'x', execute: () => 'x' })
  return { tool: { ...base, source: 'mcp', server }, from: `the tool ${name}` }
}
const wires = (tools: ReadonlyMap<string, ToolDefinition>) => [...tools.keys()]

describe('assignWireNames', () => {
  it('two functions with the same wire name are an error that names both', () => {
    expect(() => assignWireNames([authored('ask'), authored('agent__B', 'ask')], 'A')).toThrowError(
      expect.objectContaining({
        code: 'tool_name_conflict',
        message: 'Two tools of A are named ask: the function ask and the function agent__B.',
      }),
    )
  })

  it(`colliding wire names of server tools are made unique by a hash, and the renaming is reported ${verifies('R2', 'A41')}`, () => {
    const { tools, renamed } = assignWireNames(
      [listed('tm', 'now'), authored('agent__Now', 'tm__now'), authored('a.b'), authored('a_b')],
      'A',
    )
    expect(wires(tools)).toEqual([
      'tm__now',
      expect.stringMatching(/^tm__now_[0-9a-f]{8}$/u),
      'a_b',
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/u),
    ])
    expect(renamed).toHaveLength(2)
    expect(renamed[0]).toContain('the tool tm__now and the function agent__Now')
  })

  it('assigning wire names drops no tool, and each tool is found under its wire name', () => {
    const tool = record({
      server: constantFrom('a', 'a_b'),
      name: constantFrom('x', 'x.y', 'x_y', 'b__x'),
      own: boolean(),
    })
    assert(
      property(array(tool, { maxLength: 12 }), (list) => {
        const offered = list.map(({ server, name, own }) =>
          own ? { ...authored(`${name}.`), from: name } : listed(server, name),
        )
        const { tools } = assignWireNames(offered, 'A')
        expect(tools.size).toBe(offered.length)
        for (const [wire, each] of tools) expect(each.wireName).toBe(wire)
        expect([...tools.values()].map((each) => each.name)).toEqual(offered.map((each) => each.tool.name))
      }),
    )
  })
})
