import {
  toolResult,
  type ApprovalDecision,
  type JsonObject,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import type { CallSite, RunTreeApprover } from '@troupe/schema/ports'
import {
  approvalIdOf,
  findGate,
  requestDecision,
  recallDecision,
  type HumanInputRequest,
} from './human-input.ts'
import { cannotAsk } from './prepare-call.ts'
import { redacted } from '../run/run.ts'
import type { ToolRun } from './read-result.ts'

/** Approval that the hooks of a call require in addition to the permission rules. */
export interface HookApproval {
  isRequired: boolean
  /** Reason given by the first of the hooks. */
  reason?: string | undefined
}

interface CallToPermit {
  readonly site: CallSite
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
  readonly hookApproval: HookApproval
}

/**
 * Applies the permission rules to a call and requests approval if needed. Returns `undefined` if the call may
 * run. If there is no way to ask, a call that needs approval is denied.
 */
export async function permitCall(run: ToolRun, call: CallToPermit): Promise<ToolResult | undefined> {
  const rule = await run.prepared.permission.ofCall(call.tool, call.args)
  if (rule.decision === 'deny') return toolResult.failed(rule.failure)
  if (rule.decision === 'allow' && !call.hookApproval.isRequired) return undefined
  return permitByApproval(run, call, rule.decision === 'ask' ? rule.reason : undefined)
}

async function permitByApproval(
  run: ToolRun,
  call: CallToPermit,
  ruleReason: string | undefined,
): Promise<ToolResult | undefined> {
  const { approve } = run.root
  // a reason limits the question to this call, so that answers remembered for the tool do not apply
  const hookReason = call.hookApproval.isRequired
    ? (call.hookApproval.reason ?? 'A hook requested approval for this call.')
    : undefined
  const humanRequest = toHumanInputRequest(call, hookReason ?? ruleReason)
  const recalled = recallDecision(run, humanRequest)
  if (recalled !== undefined) return toRefusal(call, recalled)
  if (approve === undefined && findGate(run) === undefined) return cannotAsk(call.tool.name)
  const answer = await ask(run, call, humanRequest)
  if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
  return toRefusal(call, answer)
}

function toRefusal({ tool }: CallToPermit, { decision, reason }: ApprovalDecision): ToolResult | undefined {
  if (decision === 'approved') return undefined
  const why = reason === undefined ? '.' : `: ${reason}`
  return toolResult.error('approval_denied', `${tool.name} was not approved${why}`)
}

/** Asks the approver, which may have a remembered answer. Otherwise waits at the approval gate. */
function ask(
  run: ToolRun,
  { tool }: CallToPermit,
  humanRequest: HumanInputRequest,
): Promise<ApprovalDecision> {
  const { approve } = run.root
  const { reason } = humanRequest
  const request = {
    runId: run.request.runId,
    approvalId: approvalIdOf(run, humanRequest),
    agent: run.request.agent.name,
    instance: run.request.instance,
    toolName: tool.name,
    args: redacted(run, humanRequest.args),
    ...(reason === undefined ? {} : { reason }),
  }
  const answer =
    approve === undefined
      ? undefined
      : (signal: AbortSignal): ReturnType<RunTreeApprover> => approve(request, signal)
  return requestDecision(run, humanRequest, { clocks: run, answer })
}

function toHumanInputRequest(
  { site, attempt, tool, args }: CallToPermit,
  reason: string | undefined,
): HumanInputRequest {
  const requestKey = `${site.callId}#${attempt}`
  return {
    callId: site.callId,
    requestKey,
    toolName: tool.name,
    args,
    ...(reason === undefined ? {} : { reason }),
  }
}
