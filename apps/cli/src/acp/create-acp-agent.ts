import { isAbsolute } from 'node:path'
import {
  agent as createAgentApp,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  type PromptRequest,
  type PromptResponse,
  type StopReason,
} from '@agentclientprotocol/sdk'
import type { Host } from '@troupe/host'
import {
  failure,
  toFailure,
  type AgentDefinition,
  type Failure,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createEditorApprovals } from './editor-approvals.ts'
import { createEditorQuestions } from './editor-questions.ts'
import { openEditorServers, type EditorServers } from './editor-servers.ts'
import { createEditorTools } from './editor-tools.ts'
import { toPromptInput } from './prompt-input.ts'
import { sessionHistory } from './session-history.ts'
import { CARD_MODEL, MODEL_OPTION, sessionModes, sessionOptions } from './session-settings.ts'
import { createTurnUpdates } from './session-updates.ts'
import { createStoredSessions, sessionNote, type StoredSession } from './stored-sessions.ts'

/** Dependencies of an ACP agent. */
export interface AcpAgentContext {
  /** Agents that a session can use, the default first. */
  readonly agents: readonly [AgentDefinition, ...AgentDefinition[]]
  readonly host: Pick<Host, 'run' | 'session' | 'sessions' | 'models' | 'servers' | 'folder'>
  readonly store: RunStore
  newSessionId(): string
  /** Returns the run options with listeners for output outside the protocol. */
  withListeners?(options: RunOptions): RunOptions
}

/** A session that is open on this connection. */
interface OpenSession {
  readonly sessionId: string
  readonly cwd: string
  agent: AgentDefinition
  /** Model instead of that of the card. */
  model: string | undefined
  turn: RunningTurn | undefined
  readonly servers: EditorServers
}

interface RunningTurn {
  cancel(): void
  /** Resolves when the run has ended. */
  readonly ended: Promise<void>
}

/** Request that opens a session. */
interface EditorSessionRequest {
  readonly cwd: string
  readonly additionalDirectories?: readonly string[]
  readonly mcpServers?: readonly McpServer[]
}

/** Maximum number of sessions that are open at the same time. */
const MAX_SESSIONS = 1000

/**
 * Creates an agent for editors (ACP, version 1). Each prompt is a run in the session; approvals and
 * answers to questions are requested from the editor.
 */
export function createAcpAgent(context: AcpAgentContext): AgentApp {
  const { agents, host, store } = context
  const [entry] = agents
  const stored = createStoredSessions(context)
  const sessions = new Map<string, OpenSession>()
  let capabilities: ClientCapabilities = {}

  function find(sessionId: string): OpenSession {
    const session = sessions.get(sessionId)
    if (session === undefined) throw RequestError.sessionNotFound(sessionId)
    return session
  }

  /** Returns a stored session of this folder. Throws if there is none, or a run of it has not ended. */
  async function findStored(sessionId: string, cwd: string): Promise<StoredSession> {
    const session = await stored.find(sessionId, cwd)
    if (session === undefined) throw RequestError.sessionNotFound(sessionId)
    if (sessions.get(sessionId)?.turn !== undefined) throw busy()
    return session
  }

  async function open(
    sessionId: string,
    { cwd, mcpServers = [] }: EditorSessionRequest,
    { choices, model }: { readonly choices: AcpAgentContext['agents']; readonly model?: string | undefined },
  ): Promise<OpenSession> {
    await close(sessionId)
    if (sessions.size >= MAX_SESSIONS)
      throw RequestError.invalidRequest(
        undefined,
        `${MAX_SESSIONS} sessions are open. Close some with session/close.`,
      )
    const servers = await openEditorServers(choices.some(allowsTools) ? mcpServers : [], { host, cwd })
    // another request may have opened the session meanwhile
    while (sessions.has(sessionId)) await close(sessionId)
    const [agent] = choices
    const session: OpenSession = { sessionId, cwd, agent, model, turn: undefined, servers }
    sessions.set(sessionId, session)
    return session
  }

  /** Cancels the turn of a session, and releases what the session uses. Does nothing if it is not open. */
  async function close(sessionId: string): Promise<void> {
    const session = sessions.get(sessionId)
    sessions.delete(sessionId)
    session?.turn?.cancel()
    await session?.turn?.ended
    await session?.servers.release()
  }

  /** Reopens a stored session, which belongs to the agent and the folder that it was started with. */
  async function reopen(
    sessionId: string,
    request: EditorSessionRequest,
  ): Promise<{ readonly past: StoredSession; readonly state: ReturnType<typeof stateOf> }> {
    checkFolders(request)
    const past = await findStored(sessionId, request.cwd)
    const { agent } = past
    const model = host.models().find(({ id }) => id === past.model)?.id
    return { past, state: stateOf(await open(sessionId, request, { choices: [agent], model }), [agent]) }
  }

  function stateOf(session: OpenSession, choices: readonly AgentDefinition[]) {
    return { ...sessionModes(choices, session), configOptions: sessionOptions(host.models(), session) }
  }

  return createAgentApp({ name: entry.name })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: entry.name, title: entry.name, version: entry.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.session.new, ({ params }) =>
      answer(async () => {
        checkFolders(params)
        const sessionId = context.newSessionId()
        const session = await open(sessionId, params, { choices: agents })
        return { sessionId, ...stateOf(session, agents) }
      }),
    )
    .onRequest(methods.agent.session.list, ({ params }) => answer(() => stored.list(params)))
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      answer(async () => {
        const { sessionId } = params
        const { past, state } = await reopen(sessionId, params)
        for await (const update of sessionHistory(store, past.runIds))
          await client.notify(methods.client.session.update, { sessionId, update })
        return state
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params }) =>
      answer(async () => (await reopen(params.sessionId, params)).state),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      answer(async () => {
        await close(sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) =>
      answer(async () => {
        await close(sessionId)
        await stored.delete(sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      answer(async () => {
        const session = find(sessionId)
        const chosen = agents.find(({ name }) => name === modeId)
        if (chosen === undefined)
          throw RequestError.invalidParams(undefined, 'modeId: there is no such mode.')
        const owner = (await host.session(sessionId))?.agent ?? modeId
        if (owner !== modeId)
          throw RequestError.invalidRequest(
            undefined,
            `The session belongs to ${owner}. Start a new session with ${modeId}.`,
          )
        if (session.turn !== undefined) throw busy()
        session.agent = chosen
        return {}
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answer(async () => {
        const session = find(params.sessionId)
        const { configId, value } = params
        if (configId !== MODEL_OPTION)
          throw RequestError.invalidParams(undefined, 'configId: there is no such option.')
        const models = host.models()
        if (value !== CARD_MODEL && !models.some(({ id }) => id === value))
          throw RequestError.invalidParams(undefined, 'value: there is no such model.')
        session.model = value === CARD_MODEL ? undefined : String(value)
        return { configOptions: sessionOptions(models, session) }
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) =>
      sessions.get(sessionId)?.turn?.cancel(),
    )
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      answer(async () => {
        const session = find(params.sessionId)
        if (session.turn !== undefined) throw busy()
        const stop = new AbortController()
        const { promise: ended, resolve } = Promise.withResolvers<void>()
        session.turn = {
          cancel: () => stop.abort(failure('run_cancelled', 'The turn was cancelled.')),
          ended,
        }
        try {
          return await runTurn(session, params, {
            client,
            capabilities,
            signal: AbortSignal.any([stop.signal, signal]),
            context,
          })
        } finally {
          session.turn = undefined
          resolve()
        }
      }),
    )
}

/** Throws if the folders of a session are not supported. */
function checkFolders({ cwd, additionalDirectories = [] }: EditorSessionRequest): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, 'cwd: it must be an absolute path.')
  if (additionalDirectories.length > 0)
    throw RequestError.invalidParams(undefined, 'additionalDirectories: they are not supported.')
}

/** Runs the agent of a session for a prompt. Rejects with the failure of the run. */
async function runTurn(
  { sessionId, cwd, agent, model, servers }: OpenSession,
  { prompt }: Pick<PromptRequest, 'prompt'>,
  {
    client,
    capabilities,
    signal,
    context: { host, withListeners = (options) => options },
  }: {
    readonly client: AgentContext
    readonly capabilities: ClientCapabilities
    readonly signal: AbortSignal
    readonly context: AcpAgentContext
  },
): Promise<PromptResponse> {
  const { text, attachments } = toPromptInput(prompt)
  const turn = createTurnUpdates(client, sessionId)
  const { tools, preview } = createEditorTools({
    client,
    capabilities,
    sessionId,
    folder: host.folder(cwd),
    show: turn.show,
  })
  const approvals = createEditorApprovals(client, sessionId, preview)
  const { ask, onEvent: recordQuestion } = createEditorQuestions(client, sessionId, capabilities)
  const report = await host.run(
    agent.name,
    text,
    withListeners({
      sessionId,
      signal,
      approve: approvals.approve,
      ...(ask === undefined ? {} : { ask }),
      note: sessionNote(cwd, agent),
      tools: [...tools, ...servers.tools],
      ...(model === undefined ? {} : { model }),
      ...(attachments.length === 0 ? {} : { attachments }),
      onEvent(event) {
        approvals.onEvent(event)
        recordQuestion(event)
        turn.onEvent(event)
      },
    }),
  )
  await turn.end(report)
  const stopReason = toStopReason(report)
  if (stopReason === undefined) throw toRequestError(report.error ?? failure('internal', 'The turn failed.'))
  return { stopReason, _meta: { runId: report.runId, outcome: report.outcome, usage: report.usage } }
}

/** Returns true if the card lets the agent use tools of the editor. */
function allowsTools({ type, clientTools }: AgentDefinition): boolean {
  return type === 'agent' && clientTools !== 'deny'
}

/** Calls a handler, and rejects with the protocol's form of its error. */
async function answer<T>(handle: () => Promise<T>): Promise<T> {
  try {
    return await handle()
  } catch (thrown) {
    throw thrown instanceof RequestError ? thrown : toRequestError(toFailure(thrown))
  }
}

function busy(): RequestError {
  return toRequestError(failure('session_busy', 'This session is already running a turn.'))
}

function toRequestError({ class: kind, code, message, remediation }: Failure): RequestError {
  return RequestError.internalError({ class: kind, code, message, remediation }, `${message} ${remediation}`)
}

/** Returns the ACP stop reason of a run; `undefined` if it failed, which is sent as an error. */
function toStopReason({ outcome, error }: Pick<RunReport, 'outcome' | 'error'>): StopReason | undefined {
  if (outcome === 'completed') return 'end_turn'
  if (outcome === 'cancelled') return 'cancelled'
  if (outcome === 'denied') return 'refusal'
  if (outcome !== 'partial') return undefined
  return error?.code === 'turns_exceeded' ? 'max_turn_requests' : 'max_tokens'
}
