import type { Message } from '@troupe/schema'
import { startFakeAnthropic } from '@troupe/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { resolveModel } from '../src/index.ts'
import { contextOf } from './context.ts'
import { pingTool } from './drive.ts'

/** The history of a parent, and the task of its forked child. */
const PROMPT: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'question' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: { at: 'house' } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'look',
        output: { type: 'text', value: 'a red door' },
      },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'task' }] },
]

async function messagesSent(tools?: readonly (typeof pingTool)[]): Promise<unknown> {
  const fake = await startFakeAnthropic({ answers: [{ text: 'ok' }], apiKey: 'key-of-this-session' })
  onTestFinished(() => fake.close())
  const context = contextOf({ ANTHROPIC_BASE_URL: fake.baseURL, ANTHROPIC_API_KEY: 'key-of-this-session' })
  const handle = await resolveModel('anthropic/claude-sonnet-4-5', context)
  const model = handle.open({ agent: 'A', runId: 'r' })
  await model.doGenerate({ prompt: [...PROMPT], ...(tools === undefined ? {} : { tools: [...tools] }) })
  const body = fake.requests[0]?.body as { readonly messages: unknown } | undefined
  return body?.messages
}

it('a call without tools sends the tool calls of its history as text, without tool blocks', async () => {
  expect(await messagesSent()).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'question' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'text', text: '[Called look with {"at":"house"}]' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[look returned] a red door' },
        { type: 'text', text: 'task' },
      ],
    },
  ])
})

it('a call with tools sends the tool calls of its history as they are', async () => {
  expect(JSON.stringify(await messagesSent([pingTool]))).toMatch(/"tool_use".*"tool_result"/u)
})
