import { Agent, run, setTracingDisabled, Usage } from '@openai/agents'

setTracingDisabled(true)
const content = [{ type: 'output_text', text: 'done' }]
const output = [{ type: 'message', role: 'assistant', status: 'completed', content }]
const model = { getResponse: async () => ({ usage: new Usage(), output }) }
const agent = new Agent({ name: 'agent', instructions: 'Answer briefly.', model })
const { finalOutput } = await run(agent, 'hello')
process.stdout.write(finalOutput)
