import { defineAgent, defineTool } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import type { ScriptedTeam } from '@troupe/testkit/teams'

/** Returns an agent with a tool that needs approval, which reports the result. */
export function careful(): ScriptedTeam {
  const remove = defineTool({
    name: 'remove',
    description: 'Removes a file.',
    input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
    execute: () => 'removed',
    requiresApproval: true,
  })
  const agent = defineAgent({
    name: 'Careful',
    description: 'Removes files.',
    instruction: 'Remove.',
    model: 'test/careful',
    functionTools: [remove],
  })
  const model = scriptedModel((prompt) => {
    const last = prompt.at(-1)
    return last?.role === 'tool'
      ? { text: JSON.stringify(last.content).includes('removed') ? 'It is gone.' : 'It is still there.' }
      : { calls: [{ tool: 'remove', args: { file: '<!channel>.txt' } }] }
  })
  return { cards: [agent], models: { careful: model } }
}
