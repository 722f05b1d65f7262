import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type ContentBlock,
  type StopReason,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import {
  failure,
  toFailure,
  type AgentDefinition,
  type AgentRunner,
  type Failure,
  type RunOptions,
  type Attachment,
  type RunReport,
  type ApprovalDecision,
  type Approver,
  type RunEvent,
} from '@troupe/schema'
import { eventCorrelation } from '@troupe/timeline'
import { createTurnUpdates, toolTitle } from './session-updates.ts'

/** Dependencies of an ACP agent. */
export interface AcpAgentContext {
  /** Agent that answers the prompts. */
  readonly agent: AgentDefinition
  readonly runner: Pick<AgentRunner, 'run' | 'session'>
  newSessionId(): string
  /** Returns the run options with listeners for output outside the protocol. */
  withListeners?(options: RunOptions): RunOptions
}

/**
 * Creates an agent for editors (ACP, version 1). Each prompt is a run in the session; approvals are requested
 * from the editor.
 */
export function createAcpAgent({
  agent: servedAgent,
  runner,
  newSessionId,
  withListeners = (options) => options,
}: AcpAgentContext): AgentApp {
  // Sessions of this connection, with the controller of the running turn.
  const sessions = new Map<string, AbortController | undefined>()
  const cancel = (sessionId: string): void =>
    sessions.get(sessionId)?.abort(failure('run_cancelled', 'The turn was cancelled.'))

  return agent({ name: servedAgent.name })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: servedAgent.name, title: servedAgent.name, version: servedAgent.version },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        sessionCapabilities: { resume: {}, close: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, () => {
      const sessionId = newSessionId()
      sessions.set(sessionId, undefined)
      return { sessionId }
    })
    .onRequest(methods.agent.session.resume, async ({ params: { sessionId } }) => {
      const conversation = await runner.session(sessionId)
      if (conversation?.agent !== servedAgent.name) throw RequestError.sessionNotFound(sessionId)
      sessions.set(sessionId, sessions.get(sessionId))
      return {}
    })
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) => {
      cancel(sessionId)
      sessions.delete(sessionId)
      return {}
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => cancel(sessionId))
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client, signal }) => {
      if (!sessions.has(sessionId)) throw RequestError.sessionNotFound(sessionId)
      if (sessions.get(sessionId) !== undefined)
        throw toRequestError(failure('session_busy', 'This session is already running a turn.'))
      const stop = new AbortController()
      sessions.set(sessionId, stop)
      const { text, attachments } = toPromptInput(prompt)
      const approvals = createEditorApprovals(client, sessionId)
      const turn = createTurnUpdates(client, sessionId)
      try {
        const report = await runner.run(
          servedAgent.name,
          text,
          withListeners({
            sessionId,
            signal: AbortSignal.any([stop.signal, signal]),
            approve: approvals.approve,
            ...(attachments.length === 0 ? {} : { attachments }),
            onEvent(event) {
              approvals.onEvent(event)
              turn.onEvent(event)
            },
          }),
        )
        await turn.end(report)
        const stopReason = toStopReason(report)
        if (stopReason === undefined)
          throw toRequestError(report.error ?? failure('internal', 'The turn failed.'))
        return { stopReason, _meta: { runId: report.runId, outcome: report.outcome, usage: report.usage } }
      } catch (thrown) {
        throw thrown instanceof RequestError ? thrown : toRequestError(toFailure(thrown))
      } finally {
        if (sessions.has(sessionId)) sessions.set(sessionId, undefined)
      }
    })
}

function toRequestError({ class: kind, code, message, remediation }: Failure): RequestError {
  return RequestError.internalError({ class: kind, code, message, remediation }, `${message} ${remediation}`)
}

/** Input of a run, read from a prompt. */
interface PromptInput {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

/** Converts a prompt to text and attachments. Resource links become text; nothing is fetched. */
function toPromptInput(prompt: readonly ContentBlock[]): PromptInput {
  return {
    text: prompt.flatMap(toText).join('\n\n'),
    attachments: prompt.flatMap(toAttachments),
  }
}

function toText(block: ContentBlock): readonly string[] {
  if (block.type === 'text') return block.text === '' ? [] : [block.text]
  if (block.type === 'resource_link') return [`${block.name}: ${block.uri}`]
  if (block.type !== 'resource' || !('text' in block.resource)) return []
  return [`${block.resource.uri}:\n\n${block.resource.text}`]
}

function toAttachments(block: ContentBlock): readonly Attachment[] {
  if (block.type === 'image') return [{ mediaType: block.mimeType, data: block.data }]
  if (block.type !== 'resource' || !('blob' in block.resource)) return []
  const { mimeType, blob: data } = block.resource
  return [{ mediaType: mimeType ?? 'application/octet-stream', data }]
}

/** Returns the ACP stop reason of a run; `undefined` if it failed, which is sent as an error. */
function toStopReason({ outcome, error }: Pick<RunReport, 'outcome' | 'error'>): StopReason | undefined {
  if (outcome === 'completed') return 'end_turn'
  if (outcome === 'cancelled') return 'cancelled'
  if (outcome === 'denied') return 'refusal'
  if (outcome !== 'partial') return undefined
  return error?.code === 'turns_exceeded' ? 'max_turn_requests' : 'max_tokens'
}

/** Approvals of one turn, requested from the editor. */
interface EditorApprovals {
  /** Records the tool calls that need an approval. */
  onEvent(event: RunEvent): void
  readonly approve: Approver
}

const OPTIONS: PermissionOption[] = [
  { optionId: 'once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'session', name: 'Allow in this conversation', kind: 'allow_always' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
]

const DECISIONS: ReadonlyMap<string, ApprovalDecision> = new Map([
  ['once', { decision: 'approved' }],
  ['session', { decision: 'approved', remember: 'session' }],
])

/** Creates an approver that sends `session/request_permission` to the editor. */
function createEditorApprovals(client: AgentContext, sessionId: string): EditorApprovals {
  const calls = new Map<string, { readonly toolCallId: string; readonly title: string }>()
  return {
    onEvent(event) {
      if (event.type !== 'approval-request') return
      const toolCallId = eventCorrelation(event) ?? event.approvalId
      calls.set(event.approvalId, { toolCallId, title: toolTitle(event) })
    },
    async approve({ approvalId, toolName, args }, signal) {
      const { toolCallId, title } = calls.get(approvalId) ?? { toolCallId: approvalId, title: toolName }
      const permissionRequest = {
        sessionId,
        toolCall: { toolCallId, title, rawInput: args },
        options: OPTIONS,
      }
      const denied: ApprovalDecision = { decision: 'denied' }
      try {
        const { outcome } = await client.request<RequestPermissionResponse, RequestPermissionRequest>(
          methods.client.session.requestPermission,
          permissionRequest,
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        )
        return outcome.outcome === 'selected' ? (DECISIONS.get(outcome.optionId) ?? denied) : denied
      } catch {
        // Deny the call if the editor cannot be reached.
        return { ...denied, reason: 'The editor did not answer.' }
      }
    },
  }
}
