import { defineAgent } from '@troupe/schema'
import { verifies } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { agentTool } from '../src/index.ts'

const base = { name: 'NY-Time', instruction: 'Tell the time in New York.' }

describe('an agent as a tool', () => {
  it(`is named agent__<Name> and belongs to the server agent ${verifies('A36', 'A37', 'B42')}`, () => {
    expect(agentTool(defineAgent(base))).toMatchObject({
      name: 'agent__NY-Time',
      wireName: 'agent__NY-Time',
      source: 'agent',
      server: 'agent',
      agent: 'NY-Time',
      effect: 'idempotent',
    })
  })

  it(`shows its toolName to models, made legal, and keeps its canonical name ${verifies('C28')}`, () => {
    const tool = agentTool(defineAgent({ ...base, toolName: 'research.icp' }))
    expect(tool.wireName).toBe('research_icp')
    expect(tool.name).toBe('agent__NY-Time')
  })

  it('has a wire name that providers take, whatever the agent is called', () => {
    for (const name of ['Zeit für Köln', 'a'.repeat(100), '🙂']) {
      expect(agentTool(defineAgent({ ...base, name })).wireName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/u)
    }
  })

  it(`takes text or json unless the child says otherwise ${verifies('A38', 'A40')}`, () => {
    expect(agentTool(defineAgent(base)).inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'Plain text input' },
        json: { type: 'object', description: 'Arbitrary JSON payload' },
      },
      additionalProperties: true,
    })
  })

  it(`takes what the input block of the child declares ${verifies('C46')}`, () => {
    const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }
    expect(agentTool(defineAgent({ ...base, input: { schema } })).inputSchema).toEqual(schema)
  })

  it(`is described by the description, or the start of the instruction ${verifies('A39', 'C15')}`, () => {
    expect(agentTool(defineAgent({ ...base, description: 'Knows the time.' })).description).toBe(
      'Knows the time.',
    )
    expect(agentTool(defineAgent(base)).description).toBe('Tell the time in New York.')
    const long = agentTool(defineAgent({ ...base, instruction: 'word '.repeat(200) })).description
    expect(long).toMatch(/^word (?:word )*word…$/u)
    expect(long.length).toBeLessThanOrEqual(301)
  })
})
