import { spawn, type ChildProcess } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentApp,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type InitializeResponse,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
} from '@agentclientprotocol/sdk'
import { settle } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { toNodeArgs } from './start-program.ts'
import { project } from './team.ts'

/** Updates of sessions, as an editor receives them. */
export type Updates = readonly SessionNotification['update'][]

/** An editor that is connected to an agent, for one test. */
export interface Editor {
  readonly connection: ClientConnection
  readonly capabilities: InitializeResponse['agentCapabilities']
  readonly updates: SessionNotification['update'][]
  readonly asked: readonly RequestPermissionRequest[]
  newSession(request?: Partial<NewSessionRequest>): Promise<NewSessionResponse>
  open(request?: Partial<NewSessionRequest>): Promise<string>
  load(sessionId: string, request?: Partial<LoadSessionRequest>): Promise<LoadSessionResponse>
  prompt(sessionId: string, text: string): Promise<PromptResponse>
}

/** An editor and the program that it has started. */
export interface ProgramEditor extends Editor {
  readonly child: ChildProcess
  readonly cwd: string
  /** Returns everything written to stdout so far. */
  printed(): string
}

export interface EditorOptions {
  /** Working folder of its sessions. */
  readonly cwd: string
  /** The user's choice when the agent requests permission. Default: none. */
  readonly optionId?: string | undefined
  readonly capabilities?: ClientCapabilities | undefined
  /** Adds handlers of the editor. */
  readonly extend?: ((app: ClientApp) => ClientApp) | undefined
}

/** Connects an editor to an agent in this process, or over a stream. */
export async function connectEditor(
  agent: AgentApp | ReturnType<typeof ndJsonStream>,
  { cwd, optionId, capabilities = {}, extend = (app) => app }: EditorOptions,
): Promise<Editor> {
  const updates: SessionNotification['update'][] = []
  const asked: RequestPermissionRequest[] = []
  const app = extend(client({ name: 'test' }))
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
      asked.push(params)
      if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } }
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }))
      })
    })
  const connection = 'readable' in agent ? app.connect(agent) : app.connect(agent)
  onTestFinished(() => connection.close())
  const info = await connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  })
  const newSession: Editor['newSession'] = (request = {}) =>
    connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...request })
  return {
    connection,
    capabilities: info.agentCapabilities,
    updates,
    asked,
    newSession,
    open: async (request) => (await newSession(request)).sessionId,
    load: (sessionId, request = {}) =>
      withUpdates(
        connection.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [], ...request }),
      ),
    prompt: (sessionId, text) =>
      withUpdates(
        connection.agent.request(methods.agent.session.prompt, {
          sessionId,
          prompt: [{ type: 'text', text }],
        }),
      ),
  }
}

/** Waits for the handlers of the updates before a response. A client of the SDK calls them after it resolves. */
async function withUpdates<T>(response: Promise<T>): Promise<T> {
  const result = await response
  await settle()
  return result
}

/** Starts `troupe acp` in a folder, or in a new folder with these files, as an editor does. */
export async function startEditor(
  files: Readonly<Record<string, string>> | string,
  card: string,
  options: Omit<EditorOptions, 'cwd'> & { readonly args?: readonly string[] } = {},
): Promise<ProgramEditor> {
  const cwd = typeof files === 'string' ? files : (await project(files)).path
  const child = spawn(process.execPath, [...toNodeArgs(), 'acp', card, ...(options.args ?? [])], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stderr.resume()
  let printed = ''
  const stdout = (Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        printed += new TextDecoder().decode(chunk)
        controller.enqueue(chunk)
      },
    }),
  )
  const stream = ndJsonStream(Writable.toWeb(child.stdin), stdout)
  const editor = await connectEditor(stream, { ...options, cwd })
  return { ...editor, child, cwd, printed: () => printed }
}

/** Returns the agent's text in the updates. */
export function saidIn(updates: Updates): string {
  const pieces = updates.flatMap((update) =>
    update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  )
  return pieces.join('')
}
