import { openSession } from '@troupe/core'
import { resolveModel } from '@troupe/models'
import { defineTool } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { z } from 'zod'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})
// a script stands in for the model, so this runs without a key; with a key, write 'openai/gpt-5-mini'
const model = await resolveModel('script/adder.yaml', {
  env: (name) => process.env[name],
  searched: ['the shell'],
  folder: import.meta.dirname,
})
const session = openSession({
  agent: { name: 'Adder', instruction: 'Add numbers with the tool.' },
  model,
  tools: [add],
  validate: createValidator(),
  onEvent: (event) => console.error(event.type),
})
const result = await session.run('What is 20 + 22?')
console.log(result.text, `(${result.outcome}, ${result.usage.toolCalls} tool call)`)
