import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type RequestPermissionRequest,
  type SessionNotification,
} from '@agentclientprotocol/sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toNodeArgs } from './start-program.ts'
import { oneAgent, project, TIME_TEAM } from './team.ts'

const SENDS = oneAgent("- call: [{tool: send, args: {to: Ada}}]\n- say: '{{results.0.text}}'", {
  fields: 'functionTools: [tools.mjs:send]\nrequiresApproval: [send]',
  files: {
    'tools.mjs': "export const send = ({ to }) => { console.log('noise'); return 'sent to ' + to }\n",
  },
})

/** An editor and the program that it has started, for one test. */
interface Editor {
  readonly child: ChildProcess
  /** Returns everything written to stdout so far. */
  printed(): string
  readonly connection: ClientConnection
  readonly updates: readonly SessionNotification['update'][]
  readonly asked: readonly RequestPermissionRequest[]
  open(): Promise<string>
  prompt(sessionId: string, text: string): Promise<{ readonly stopReason: string }>
}

/** Starts `troupe acp` in a folder with these files, as an editor does. `optionId` is the user's choice when the agent requests permission. */
async function startEditor(
  files: Readonly<Record<string, string>>,
  card: string,
  { optionId }: { readonly optionId?: string } = {},
): Promise<Editor> {
  const { path: cwd } = await project(files)
  const child = spawn(process.execPath, [...toNodeArgs(), 'acp', card], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stderr.resume()
  const updates: SessionNotification['update'][] = []
  const asked: RequestPermissionRequest[] = []
  let printed = ''
  const stdout = (Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        printed += new TextDecoder().decode(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params)
      if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } }
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }))
      })
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), stdout))
  onTestFinished(() => connection.close())
  const { agent } = connection
  const info = await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION })
  expect(info).toMatchObject({
    protocolVersion: 1,
    agentCapabilities: { promptCapabilities: { image: true } },
  })
  return {
    child,
    printed: () => printed,
    connection,
    updates,
    asked,
    async open() {
      const { sessionId } = await agent.request<{ readonly sessionId: string }>(methods.agent.session.new, {
        cwd,
        mcpServers: [],
      })
      return sessionId
    },
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
  }
}

/** Returns the agent's text in the updates. */
function saidIn(updates: Editor['updates']): string {
  const pieces = updates.flatMap((update) =>
    update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  )
  return pieces.join('')
}

describe('troupe acp', () => {
  it('troupe acp shows the editor the text and calls of the agent and the calls of its children', async () => {
    const editor = await startEditor(TIME_TEAM, 'team')
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Now?')).toMatchObject({ stopReason: 'end_turn' })
    const calls = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call' ? [update.title] : [],
    )
    expect(calls.toSorted()).toEqual(['City: now', 'City: now', 'agent__City', 'agent__City'])
    const ended = editor.updates.flatMap((update) =>
      update.sessionUpdate === 'tool_call_update' && update.status === 'completed' ? [update.toolCallId] : [],
    )
    expect(new Set(ended).size).toBe(4)
    expect(saidIn(editor.updates)).toBe('It is five in Paris; It is five in Rome')
    expect(
      editor
        .printed()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('{')),
    ).toEqual([])
  })

  it.each([
    ['once', 'sent to Ada'],
    ['deny', 'Error: send was not approved.'],
  ])('troupe acp asks for approval in the editor before a call: %s', async (optionId, said) => {
    const editor = await startEditor(SENDS, 'one.md', { optionId })
    const sessionId = await editor.open()
    expect(await editor.prompt(sessionId, 'Go')).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.asked).toMatchObject([{ sessionId, toolCall: { title: 'send', rawInput: { to: 'Ada' } } }])
    const call = editor.updates.find((update) => update.sessionUpdate === 'tool_call')
    expect(editor.asked[0]?.toolCall.toolCallId).toBe(call?.toolCallId)
    expect(saidIn(editor.updates)).toBe(said)
  })

  it('troupe acp ends a turn that is cancelled during an approval, and accepts the next turn', async () => {
    const editor = await startEditor(SENDS, 'one.md')
    const sessionId = await editor.open()
    const turn = editor.prompt(sessionId, 'Go')
    await expect.poll(() => editor.asked.length).toBe(1)
    await editor.connection.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await turn).toMatchObject({ stopReason: 'cancelled' })
    const unknown = editor.prompt('none', 'Go')
    await expect(unknown).rejects.toMatchObject({ code: expect.any(Number) })
  })

  it('troupe acp continues a conversation, even one of an earlier connection', async () => {
    const files = oneAgent("- say: 'one'\n- say: 'two'")
    const editor = await startEditor(files, 'one.md')
    const sessionId = await editor.open()
    await editor.prompt(sessionId, 'a')
    await editor.prompt(sessionId, 'b')
    await editor.connection.agent.request(methods.agent.session.close, { sessionId })
    await expect(editor.prompt(sessionId, 'c')).rejects.toMatchObject({ code: expect.any(Number) })
    const cwd = '/'
    await editor.connection.agent.request(methods.agent.session.resume, { sessionId, cwd, mcpServers: [] })
    expect(await editor.prompt(sessionId, 'c')).toMatchObject({ stopReason: expect.any(String) })
    await expect(
      editor.connection.agent.request(methods.agent.session.resume, {
        sessionId: 'none',
        cwd,
        mcpServers: [],
      }),
    ).rejects.toMatchObject({ code: expect.any(Number) })
  })

  it('troupe acp exits when the editor disconnects', async () => {
    const { child } = await startEditor(oneAgent("- say: 'Hi'"), 'one.md')
    child.stdin?.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
