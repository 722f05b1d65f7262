// Runs an agent with the library, in memory and in a stored file, and asks a server for it.
import { createHost, defineAgent, defineTool, openSession, runAgent } from 'troupe'
import { createClient } from 'troupe/client'
import { rateLimit } from 'troupe/hooks'
import { createServer } from 'troupe/server'
import { openStore } from 'troupe/store'
import { scriptedModel } from 'troupe/testing'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => a + b,
})
const model = () =>
  scriptedModel((_, { index }) =>
    index === 0 ? { calls: [{ tool: 'add', args: { a: 20, b: 22 } }] } : { text: 'It is 42.' },
  )
const result = await runAgent({ model: model(), instruction: 'Add.', tools: [add] }, 'What is 20 + 22?')
const session = openSession({
  agent: { name: 'adder', instruction: 'Add.' },
  model: model(),
  tools: [add],
  hooks: [rateLimit({ calls: 10, per: '1s' })],
})
const again = await session.run('What is 20 + 22?')

const store = await openStore('runs.db')
const echo = defineAgent({ name: 'echo', instruction: 'Repeat.', model: 'passthrough' })
const host = await createHost({ cards: [echo], config: false, store })
const server = await createServer({ host, store, port: 0 })
const report = await createClient({ url: server.url }).run('echo', 'Good day.')
await server.close()
await host.close()
console.log(`library: ${result.text} ${again.text} ${report.output.text}`)
