import { agentToolName, defineTool, mcpToolName, toWireName, TOOL_SOURCES } from '@troupe/schema'
import { withHash } from '@troupe/schema/text'
import { verifies } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('names of tools', () => {
  it(`tool names are derived from their source ${verifies('A36', 'B31', 'R2')}`, () => {
    expect(TOOL_SOURCES).toEqual(['mcp', 'function', 'agent', 'runtime', 'client', 'provider'])
    expect(agentToolName('NY-Time')).toBe('agent__NY-Time')
    expect(mcpToolName('tm', 'get_current_time')).toBe('tm__get_current_time')
    expect(defineTool({ name: 'add', description: 'Adds.', execute: () => 0 })).toMatchObject({
      name: 'add',
      source: 'function',
    })
  })

  it(`tool names for models omit characters that providers reject ${verifies('C28', 'R2')}`, () => {
    expect(toWireName('research.icp')).toBe('research_icp')
    expect(toWireName('agent__Été 1')).toBe('agent___t__1')
    expect(toWireName('')).toBe('_')
  })

  it('long tool names keep their start and get a hash', () => {
    const long = `server__${'x'.repeat(100)}`
    expect(toWireName(long)).toHaveLength(64)
    expect(toWireName(long).startsWith('server__xxx')).toBe(true)
    expect(toWireName(`${long}a`)).not.toBe(toWireName(`${long}b`))
  })

  it('tool names for models are always valid for every provider and deterministic', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        expect(toWireName(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/u)
        expect(withHash(toWireName(name), name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/u)
        expect(toWireName(toWireName(name))).toBe(toWireName(name))
      }),
    )
  })
})
