import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

let stopped = 0

const SURE: Parameters<typeof inputRequired.elicit>[0] = {
  message: 'Sure?',
  requestedSchema: {
    type: 'object',
    properties: {
      yes: { type: 'boolean' },
      count: { type: 'integer', minimum: 1, default: 3 },
      note: { type: 'string', title: 'A note' },
    },
    required: ['yes', 'count'],
  },
}

/** Creates a server with one tool for each behaviour that a client may meet. Serves both protocol eras. */
export function createTeamServer(era: string, echo = (text: string): string => text): McpServer {
  const server = new McpServer(
    { name: 'team-server', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )

  server.registerTool(
    'echo',
    {
      description: 'Repeats its input.',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ content: [{ type: 'text', text: echo(text) }] }),
  )
  server.registerTool(
    'add',
    {
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { idempotentHint: true },
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }),
  )
  server.registerTool(
    'delete.all',
    { description: 'Deletes.', inputSchema: z.object({}), annotations: { destructiveHint: true } },
    () => ({ content: [] }),
  )
  server.registerTool('process', { description: 'Says who it is.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'text', text: JSON.stringify({ pid: process.pid, cwd: process.cwd(), env: process.env }) },
    ],
  }))
  server.registerTool('era', { description: 'Says what is spoken.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: era }],
  }))
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'no such city' }],
  }))
  server.registerTool('picture', { description: 'Shows.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'audio', data: 'YXVkaW8=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource_link', uri: 'https://example.com/b', name: 'b' },
    ],
  }))
  server.registerTool('count', { description: 'Counts.', inputSchema: z.object({}) }, async (_args, ctx) => {
    const { _meta: meta } = ctx.mcpReq
    const token = meta?.progressToken
    if (token !== undefined) {
      for (const progress of [1, 2])
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: token, progress, total: 2, message: 'counting' },
        })
    }
    return { content: [{ type: 'text', text: 'done' }] }
  })
  server.registerTool(
    'wait',
    { description: 'Waits for its end.', inputSchema: z.object({}) },
    async (_args, ctx) => {
      await new Promise<void>((resolve) => {
        ctx.mcpReq.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      stopped += 1
      return { content: [] }
    },
  )
  server.registerTool('stopped', { description: 'Counts stopped calls.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: String(stopped) }],
  }))
  server.registerTool(
    'confirm',
    { description: 'Asks a person.', inputSchema: z.object({}) },
    (_args, ctx) => {
      const said = ctx.mcpReq.inputResponses?.['sure']
      if (said !== undefined) return { content: [{ type: 'text', text: JSON.stringify(said) }] }
      return inputRequired({ inputRequests: { sure: inputRequired.elicit(SURE) } })
    },
  )
  server.registerTool(
    'ask_model',
    { description: 'Asks a model.', inputSchema: z.object({ tokens: z.number(), times: z.number() }) },
    async ({ tokens, times }, ctx) => {
      const params = {
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say hi' } }],
        systemPrompt: 'Be short.',
        maxTokens: tokens,
      }
      if (ctx.mcpReq.envelope === undefined) {
        const answers: unknown[] = []
        for (let count = 0; count < times; count += 1) answers.push(await ctx.mcpReq.requestSampling(params))
        return { content: [{ type: 'text', text: JSON.stringify(answers.at(-1)) }] }
      }
      const said = ctx.mcpReq.inputResponses?.['model']
      if (said !== undefined) return { content: [{ type: 'text', text: JSON.stringify(said) }] }
      return inputRequired({ inputRequests: { model: inputRequired.createMessage(params) } })
    },
  )
  server.registerTool(
    'folders',
    { description: 'Asks for folders.', inputSchema: z.object({}) },
    async (_args, ctx) => {
      if (ctx.mcpReq.envelope === undefined) {
        const { roots } = await server.server.listRoots()
        return { content: [{ type: 'text', text: JSON.stringify(roots) }] }
      }
      const said = ctx.mcpReq.inputResponses?.['roots']
      if (said !== undefined) return { content: [{ type: 'text', text: JSON.stringify(said) }] }
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
    },
  )
  server.registerTool(
    'again',
    { description: 'Wants to be asked again.', inputSchema: z.object({}) },
    (_args, ctx) => {
      if (ctx.mcpReq.requestState() === undefined) return inputRequired({ requestState: 'later' })
      return { content: [{ type: 'text', text: 'at last' }] }
    },
  )
  server.registerTool('learn', { description: 'Adds a tool.', inputSchema: z.object({}) }, () => {
    server.registerTool('learned', { description: 'New.', inputSchema: z.object({}) }, () => ({
      content: [],
    }))
    return { content: [] }
  })
  addPrompts(server)
  return server
}

function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'review',
    {
      title: 'Review',
      description: 'Reviews a pull request.',
      argsSchema: z.object({ pr: z.string().describe('Its number'), style: z.string().optional() }),
    },
    ({ pr, style = 'kind' }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review #${pr}.` } },
        { role: 'assistant', content: { type: 'text', text: `In a ${style} way.` } },
      ],
    }),
  )
  server.registerPrompt('look', { description: 'Shows.' }, () => ({
    messages: [
      { role: 'user', content: { type: 'text', text: 'What is this?' } },
      { role: 'user', content: { type: 'image', data: 'aW1n', mimeType: 'image/png' } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } } },
    ],
  }))
}
