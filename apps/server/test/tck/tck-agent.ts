import { createA2AHeadend, type Headend, type HeadendContext } from '@troupe/headends'
import { defineAgent, defineTool, isJsonObject } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { Hono } from 'hono'
import type { TeamToServe } from '../support/serve-team.ts'

/**
 * Returns the team that the kit tests: an agent that asks a question if the id of the message begins with
 * `tck-input-required`, and otherwise answers.
 */
export function tckTeam(): TeamToServe {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks the user.',
    input: { type: 'object', properties: {} },
    async execute(_, call) {
      const answer = await call.ask({ question: 'What else?' })
      return answer.answered ? answer.text : 'nothing'
    },
  })
  const agent = defineAgent({
    name: 'Fixture',
    description: 'Answers the messages of the compatibility kit.',
    instruction: 'Answer.',
    model: 'test/fixture',
    functionTools: [ask],
  })
  const fixture = scriptedModel((prompt) => {
    const last = prompt.at(-1)
    if (last?.role !== 'tool' && JSON.stringify(last).includes('tck-input-required'))
      return { calls: [{ tool: 'ask', args: {} }] }
    return { text: 'Done.' }
  })
  return { cards: [agent], models: { fixture }, without: ['a2a'], headends: [createTckHeadend] }
}

/** Creates the A2A headend with the id of each message in its text, because agents do not see ids. */
function createTckHeadend(context: HeadendContext): Headend {
  const headend = createA2AHeadend(context, { versions: ['1.0'], pushHosts: ['127.0.0.1'] })
  const app: Headend['app'] = new Hono({ strict: false })
  app.use('/a2a/*', async (call, next) => {
    call.req.raw = await withIdInText(call.req.raw)
    return next()
  })
  app.route('/', headend.app)
  return { ...headend, app }
}

async function withIdInText(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request
  const { url, method, headers, signal } = request
  const text = await request.text()
  return new Request(url, { method, headers, signal, ...(text === '' ? {} : { body: addId(text) }) })
}

/** Adds the id to the first part with text. Returns other bodies unchanged. */
function addId(text: string): string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return text
  }
  const params = isJsonObject(body) && isJsonObject(body['params']) ? body['params'] : body
  const message = isJsonObject(params) ? params['message'] : undefined
  if (!isJsonObject(message) || !Array.isArray(message['parts'])) return text
  const parts = message['parts'].map((part, index) =>
    index === 0 && isJsonObject(part) && typeof part['text'] === 'string'
      ? { ...part, text: `${JSON.stringify(message['messageId'])}: ${part['text']}` }
      : part,
  )
  const changed = { ...(params as object), message: { ...message, parts } }
  return JSON.stringify(params === body ? changed : { ...(body as object), params: changed })
}
