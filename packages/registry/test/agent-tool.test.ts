import { defineAgent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { agentTool } from '../src/index.ts'

const base = { name: 'NY-Time', instruction: 'Tell the time in New York.' }

describe('an agent as a tool', () => {
  it(`an agent tool is named agent__<Name> and belongs to the server \`agent\` ${verifies('A36', 'A37', 'B42')}`, () => {
    expect(agentTool(defineAgent(base))).toMatchObject({
      name: 'agent__NY-Time',
      wireName: 'agent__NY-Time',
      source: 'agent',
      server: 'agent',
      agent: 'NY-Time',
      effect: 'idempotent',
    })
  })

  it(`an agent tool shows its toolName to models, converted to a legal name, and keeps its canonical name ${verifies('C28')}`, () => {
    const tool = agentTool(defineAgent({ ...base, toolName: 'research.icp' }))
    expect(tool.wireName).toBe('research_icp')
    expect(tool.name).toBe('agent__NY-Time')
  })

  it('an agent tool has a wire name that providers accept, whatever the agent is called', () => {
    for (const name of ['Zeit für Köln', 'a'.repeat(100), '🙂']) {
      expect(agentTool(defineAgent({ ...base, name })).wireName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/u)
    }
  })

  it(`an agent tool accepts text or json unless the child declares an input ${verifies('A38', 'A40')}`, () => {
    expect(agentTool(defineAgent(base)).inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', description: 'Plain text input' },
        json: { type: 'object', description: 'Arbitrary JSON payload' },
      },
      additionalProperties: true,
    })
  })

  it(`an agent tool accepts the input that the child declares ${verifies('C46')}`, () => {
    const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }
    expect(agentTool(defineAgent({ ...base, input: { schema } })).inputSchema).toEqual(schema)
  })

  it(`an agent tool is described by the description or the start of the instruction ${verifies('A39', 'C15')}`, () => {
    expect(agentTool(defineAgent({ ...base, description: 'Knows the time.' })).description).toBe(
      'Knows the time.',
    )
    expect(agentTool(defineAgent(base)).description).toBe('Tell the time in New York.')
    const long = agentTool(defineAgent({ ...base, instruction: 'word '.repeat(200) })).description
    expect(long).toMatch(/^word (?:word )*word…$/u)
    expect(long.length).toBeLessThanOrEqual(301)
  })
})
