/** An MCP server with three prompts: a template with hidden text, one with an image, and a conversation. */
export const PROMPT_SERVER = `
import { createInterface } from 'node:readline'
const says = (role, text) => ({ role, content: { type: 'text', text } })
const review = { name: 'review', description: 'Reviews a pull request.\\nThoroughly.' }
const prompts = {
  review: ({ pr }) => [says('user', 'Review\\u202e #' + pr + '.')],
  look: () => [says('user', 'What is this?'), { role: 'user', content: { type: 'image', data: 'aW1n', mimeType: 'image/png' } }],
  talk: () => [says('user', 'What is this?'), says('assistant', 'A cat.')],
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { prompts: {} },
    serverInfo: { name: 'prompts', version: '1.0.0' },
  }),
  'prompts/list': () => ({
    prompts: [{ ...review, arguments: [{ name: 'pr', required: true }, { name: 'style' }] }, { name: 'look' }, { name: 'talk' }],
  }),
  'prompts/get': ({ name, arguments: args }) => ({ messages: prompts[name](args) }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params)
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
`
