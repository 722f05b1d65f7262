import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import type { TeamToServe } from './serve-team.ts'

/** Returns an agent with a tool that sends something and needs approval. */
export function sender({ receipt = 'sent' } = {}): Pick<TeamToServe, 'cards' | 'models'> & {
  readonly sent: readonly string[]
} {
  const sent: string[] = []
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute: (args) => {
      sent.push(JSON.stringify(args['to']))
      return receipt
    },
  })
  const agent = defineAgent({
    name: 'Sender',
    description: 'Sends.',
    instruction: 'Send.',
    model: 'test/sender',
    functionTools: [send],
    requiresApproval: ['send'],
  })
  const model = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [{ tool: 'send', args: { to: 'Ada' } }] },
  )
  return { cards: [agent], models: { sender: model }, sent }
}
