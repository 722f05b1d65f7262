import {
  isJsonObject,
  toolResult,
  type ApprovalDecision,
  type Attachment,
  type ClientTurn,
  type JsonObject,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { inputMessage, type CallSite } from '@troupe/schema/ports'
import { findGate, recallDecision, requestDecision, type HumanInputRequest } from './human-input.ts'
import { normaliseResult } from './normalise-result.ts'
import type { ToolRun } from './read-result.ts'

/** A call of a tool of the client. */
interface ClientToolCall {
  readonly site: CallSite
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
}

/**
 * Waits until the client of the run has executed a call, and returns its result. Nothing is executed here.
 * Never rejects.
 */
export async function waitForClient(run: ToolRun, call: ClientToolCall): Promise<ToolResult> {
  const request: HumanInputRequest = {
    callId: call.site.callId,
    requestKey: requestKeyOf(call.site.callId, call.attempt),
    toolName: call.tool.name,
    args: call.args,
    client: true,
  }
  const recalled = recallDecision(run, request)
  if (recalled === undefined && findGate(run, request) === undefined)
    return toolResult.error('tool_failed', `This run cannot wait for its client to call ${call.tool.name}.`)
  const decision = recalled ?? (await requestDecision(run, request, { clocks: run, answer: undefined }))
  if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
  return toResult(run, decision)
}

/** Converts the decision on a call to its result, and applies what the client requests for the next answer. */
function toResult(run: ToolRun, { decision, reason, values }: ApprovalDecision): ToolResult {
  if (decision === 'denied' || values === undefined)
    return toolResult.error('tool_failed', reason ?? 'The client did not execute the call.')
  const { content, isError, message, attachments = [], turn } = values
  // written by the service that received the result, like the attachments
  if (isJsonObject(turn)) startClientTurn(run, turn)
  const result = normaliseResult({ content, isError }, 'client')
  if (typeof message !== 'string') return result
  return { ...result, merge: [inputMessage(message, attachments as unknown as readonly Attachment[])] }
}

/** Repeats what the client requested with a result that the run had before it was resumed. */
export function recallClientTurn(run: ToolRun, { callId }: Pick<CallSite, 'callId'>): void {
  for (let attempt = 1; ; attempt += 1) {
    const decision = run.log.journal?.step(`approval:${requestKeyOf(callId, attempt)}`)
    if (decision === undefined) return
    const { turn } = (decision as unknown as ApprovalDecision).values ?? {}
    if (isJsonObject(turn)) startClientTurn(run, turn)
  }
}

function requestKeyOf(callId: string, attempt: number): string {
  return `${callId}#${attempt}.client`
}

function startClientTurn({ progress }: ToolRun, { instructions, ...turn }: ClientTurn): void {
  progress.clientTurn = turn
  if (instructions !== undefined) progress.clientInstructions = instructions
}
