import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { CLIENTS, connectMcp } from './support/connect-mcp.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

const BOOKER = defineAgent({
  name: 'Booker',
  description: 'Books flights.',
  instruction: 'The secret instruction.',
  model: 'passthrough',
  default: true,
  input: {
    schema: {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'The city.' },
        seat: { type: 'string', enum: ['window', 'aisle', 'Wing'] },
        people: { type: 'integer' },
        refundable: { type: 'boolean' },
      },
      required: ['to'],
    },
  },
})

const booking = { cards: [BOOKER, PARROT] }

describe.each(CLIENTS)('%s client of the prompts of /mcp', (kind) => {
  it('every agent with declared inputs is a prompt with its inputs as arguments', async () => {
    const client = await connectMcp(kind, await serveTeam(booking))
    const { prompts } = await client.listPrompts()
    expect(prompts).toMatchObject([
      {
        name: 'Booker',
        description: 'Books flights.',
        arguments: [
          { name: 'to', description: 'The city.', required: true },
          { name: 'seat', required: false },
          { name: 'people', required: false },
          { name: 'refundable', required: false },
        ],
      },
    ])
  })

  it('a filled-in prompt asks the host to call the agent, and does not contain its instruction', async () => {
    const client = await connectMcp(kind, await serveTeam(booking))
    const prompt = await client.getPrompt({ name: 'Booker', arguments: { to: '7', people: '2' } })
    const [message] = prompt.messages
    const text = message?.content.type === 'text' ? message.content.text : ''
    expect(message?.role).toBe('user')
    expect(text).toMatch(/^Call the tool Booker with these arguments/u)
    expect(text).not.toContain('secret')
    const args: unknown = JSON.parse(text.slice(text.indexOf('{')))
    expect(args).toEqual({ input: { to: '7', people: 2 }, format: 'text' })
    const result = await client.call(args, 'Booker')
    expect(result.content).toEqual([{ type: 'text', text: '{"to":"7","people":2}' }])
  })

  it('a prompt that is unknown, lacks a required argument or gets an unknown one is refused', async () => {
    const client = await connectMcp(kind, await serveTeam(booking))
    const get = (name: string, args: Record<string, string>) => client.getPrompt({ name, arguments: args })
    await expect(get('Parrot', {})).rejects.toThrow('Unknown prompt: Parrot')
    await expect(get('Booker', {})).rejects.toThrow('requires the arguments to')
    await expect(get('Booker', { to: 'Rome', toString: 'x' })).rejects.toThrow('has no argument toString')
  })

  it('the values of an argument are completed from its schema', async () => {
    const client = await connectMcp(kind, await serveTeam(booking))
    const complete = async (name: string, value: string) => {
      const ref = { type: 'ref/prompt', name: 'Booker' } as const
      const { completion } = await client.complete({ ref, argument: { name, value } })
      return completion.values
    }
    expect(await complete('seat', 'wi')).toEqual(['window', 'Wing'])
    expect(await complete('refundable', '')).toEqual(['true', 'false'])
    expect(await complete('to', 'R')).toEqual([])
  })
})
