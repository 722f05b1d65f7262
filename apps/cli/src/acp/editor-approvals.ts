import {
  methods,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import type { ApprovalDecision, Approver, RunEvent } from '@troupe/schema'
import { eventCorrelation } from '@troupe/timeline'
import type { EditorTools } from './editor-tools.ts'
import { toolTitle } from './session-updates.ts'

/** Approvals of one turn, requested from the editor. */
export interface EditorApprovals {
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
export function createEditorApprovals(
  client: AgentContext,
  sessionId: string,
  preview: EditorTools['preview'],
): EditorApprovals {
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
        toolCall: { toolCallId, title, rawInput: args, ...(await preview(toolName, args)) },
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
