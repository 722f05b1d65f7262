import { randomUUID } from 'node:crypto'
import {
  methods,
  RequestError,
  type ClientApp,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
} from '@agentclientprotocol/sdk'
import { systemClock } from '@troupe/core'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool, type AgentDefinition, type AgentFields } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createAcpAgent } from '../src/acp/create-acp-agent.ts'
import { connectEditor, saidIn } from './editor.ts'

const FORMS: ClientCapabilities = { elicitation: { form: {} } }
const ROOM = { question: 'Which room?', choices: ['red', 'blue'] }

type Answer = (request: CreateElicitationRequest) => CreateElicitationResponse | Promise<never>

interface Setup {
  readonly steps?: readonly ScriptedStep[]
  readonly fields?: Omit<AgentFields, 'name' | 'instruction'>
  readonly children?: readonly AgentDefinition[]
  readonly capabilities?: ClientCapabilities
  /** Answers the forms of the agent. */
  readonly answer?: Answer
}

/** An editor whose user answers forms, and an agent that may ask. */
async function editorOf({
  steps = [{ calls: [{ tool: 'human_ask', args: ROOM }] }],
  fields = { runtimeTools: ['human'] },
  children = [],
  capabilities = FORMS,
  answer = () => ({ action: 'cancel' }),
}: Setup = {}) {
  const model = scriptedModel(
    (prompt, { index }) => steps[index] ?? { text: JSON.stringify(prompt.at(-1)?.content) },
  )
  const worker = defineAgent({ name: 'Worker', instruction: 'Work.', model: 'test/worker', ...fields })
  const store = createMemoryStore({ clock: systemClock })
  const host = await createHost({
    cards: [worker, ...children],
    entry: 'Worker',
    config: false,
    cwd: import.meta.dirname,
    models: { 'test/worker': model },
    store,
    env: {},
  })
  onTestFinished(() => host.close())
  const forms: CreateElicitationRequest[] = []
  const extend = (app: ClientApp): ClientApp =>
    app.onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params)
      return answer(params)
    })
  const app = createAcpAgent({ agents: [worker], host, store, newSessionId: () => `session_${randomUUID()}` })
  const editor = await connectEditor(app, { cwd: import.meta.dirname, capabilities, extend })
  const run = async (): Promise<string> => {
    await editor.prompt(await editor.open(), 'Go')
    return saidIn(editor.updates)
  }
  return { ...editor, forms, run }
}

describe('questions to the user of an editor', () => {
  it('a question is a form of the editor at its call, and the answer reaches the agent', async () => {
    const { run, forms, updates } = await editorOf({
      answer: () => ({ action: 'accept', content: { answer: 'blue' } }),
    })
    expect(await run()).toContain('"blue"')
    const call = updates.find((update) => update.sessionUpdate === 'tool_call')
    expect(forms).toEqual([
      {
        mode: 'form',
        sessionId: expect.stringMatching(/^session_/u),
        toolCallId: call?.toolCallId,
        message: 'Which room?',
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', enum: ['red', 'blue'] } },
          required: ['answer'],
        },
      },
    ])
  })

  it('a question without choices takes any text', async () => {
    const { run, forms } = await editorOf({
      steps: [{ calls: [{ tool: 'human_ask', args: { question: 'Your name?' } }] }],
      answer: () => ({ action: 'accept', content: { answer: 'Ada' } }),
    })
    expect(await run()).toContain('Ada')
    expect(forms).toMatchObject([{ requestedSchema: { properties: { answer: { type: 'string' } } } }])
  })

  it('a tool that asks for several values gets them from one form', async () => {
    const form = {
      type: 'object',
      properties: { name: { type: 'string' }, seats: { type: 'integer' } },
      required: ['name'],
    } as const
    const book = defineTool({
      name: 'book',
      description: 'Books.',
      input: z.object({}),
      async execute(_, { ask }) {
        const answer = await ask({ question: 'For whom?', form })
        return answer.answered ? JSON.stringify(answer.values) : answer.reason
      },
    })
    const { run, forms } = await editorOf({
      steps: [{ calls: [{ tool: 'book', args: {} }] }],
      fields: { functionTools: [book] },
      answer: () => ({ action: 'accept', content: { name: 'Ada', seats: 2 } }),
    })
    expect(await run()).toContain(String.raw`{\"name\":\"Ada\",\"seats\":2}`)
    expect(forms).toMatchObject([{ message: 'For whom?', requestedSchema: form }])
  })

  it('a question of a child starts with the name of the child', async () => {
    const clerk = defineAgent({
      name: 'Clerk',
      description: 'Asks.',
      instruction: 'Ask.',
      model: 'test/worker',
      runtimeTools: ['human'],
    })
    const { run, forms, updates } = await editorOf({
      steps: [
        { calls: [{ tool: 'agent__Clerk', args: { text: 'Ask' } }] },
        { calls: [{ tool: 'human_ask', args: ROOM }] },
        { text: 'asked' },
      ],
      fields: { agents: ['Clerk'] },
      children: [clerk],
      answer: () => ({ action: 'accept', content: { answer: 'red' } }),
    })
    await run()
    const titles = new Map(
      updates.flatMap((update) =>
        update.sessionUpdate === 'tool_call' ? [[update.toolCallId, update.title] as const] : [],
      ),
    )
    expect(forms).toMatchObject([{ message: 'Clerk: Which room?' }])
    const [form] = forms as readonly { readonly toolCallId?: string }[]
    expect(titles.get(form?.toolCallId ?? '')).toBe('Clerk: human.ask')
  })

  it.each<readonly [string, Answer, string]>([
    ['declines', () => ({ action: 'decline' }), 'the person declined'],
    ['cancels', () => ({ action: 'cancel' }), 'the person gave no answer'],
    [
      'answers in an unknown way',
      () => ({ action: '_later', content: { answer: 'red' } }),
      'the person gave no answer',
    ],
    [
      'chooses what was not offered',
      () => ({ action: 'accept', content: { answer: 'green' } }),
      'the answer of the editor is not valid',
    ],
    ['sends no values', () => ({ action: 'accept' }), 'the answer of the editor is not valid'],
    ['fails', () => Promise.reject(RequestError.internalError()), 'the editor did not answer'],
  ])('the agent learns that there is no answer if the editor %s', async (_, answer, reason) => {
    const { run } = await editorOf({ answer })
    expect(await run()).toContain(`The question was not answered: ${reason}.`)
  })

  it.each<readonly [string, ClientCapabilities]>([
    ['nothing', {}],
    ['elicitation without forms', { elicitation: { url: {}, form: null } }],
  ])(
    'an editor that declares %s gets no forms, and the agent continues without an answer',
    async (_, capabilities) => {
      const { run, forms } = await editorOf({ capabilities })
      expect(await run()).toContain('The question was not answered: this run cannot ask questions.')
      expect(forms).toEqual([])
    },
  )

  it('a turn that is cancelled during a question ends, and the form is withdrawn', async () => {
    const { connection, open, prompt, forms } = await editorOf({
      answer: () => new Promise<never>(() => undefined),
    })
    const sessionId = await open()
    const turn = prompt(sessionId, 'Go')
    await expect.poll(() => forms.length).toBe(1)
    await connection.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
  })
})
