import {
  canonicalJson,
  toolResult,
  type ApprovalDecision,
  type Approver,
  type CallSite,
  type JsonObject,
  type MaybePromise,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { redacted, write, type Run } from './run.ts'
import { untilKept } from './until-kept.ts'
import { waitForPerson } from './wait-for-person.ts'

/** What the hooks of one call want of its permission: more than the rules, never less. */
export interface ApprovalDemand {
  isMade: boolean
  /** That of the hook that asked first. */
  reason?: string | undefined
}

interface AskedCall {
  readonly site: CallSite
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
  readonly demand: ApprovalDemand
}

/** What the rules and, where they say so, a person make of a call. Undefined: it may run. Where nobody can be asked, what asks is denied (decision 16). */
export function permitCall(run: Run, call: AskedCall): MaybePromise<ToolResult | undefined> {
  const rule = run.prepared?.permission(call.tool) ?? 'deny'
  if (rule === 'allow' && !call.demand.isMade) return undefined
  if (rule === 'deny') return toolResult.error('permission_denied', `A rule forbids ${call.tool.name}.`)
  return permitByAsking(run, call)
}

async function permitByAsking(run: Run, call: AskedCall): Promise<ToolResult | undefined> {
  const { approve, waiting } = run.root
  const recalled = recallDecision(run, call)
  if (recalled !== undefined) return toRefusal(call, recalled)
  if (approve === undefined && waiting === undefined) {
    return toolResult.error(
      'approval_denied',
      `${call.tool.name} needs an approval and there is nobody to ask.`,
    )
  }
  const answer = await ask(run, call)
  if (run.stop.reason !== undefined) return toolResult.failed(run.stop.reason)
  return toRefusal(call, answer)
}

function toRefusal({ tool }: AskedCall, { decision, reason }: ApprovalDecision): ToolResult | undefined {
  if (decision === 'approved') return undefined
  const why = reason === undefined ? '.' : `: ${reason}`
  return toolResult.error('approval_denied', `${tool.name} was not approved${why}`)
}

/** What was decided of the same call before the run was interrupted: for other arguments a person is asked again. */
function recallDecision(run: Run, { site, attempt, args }: AskedCall): ApprovalDecision | undefined {
  const recorded = run.journal?.step(approvalKey({ site, attempt })) as RecordedDecision | undefined
  if (recorded === undefined || canonicalJson(recorded.args) !== canonicalJson(args)) return undefined
  return recorded
}

type RecordedDecision = ApprovalDecision & { readonly args: JsonObject }

function approvalKey({ site, attempt }: Pick<AskedCall, 'site' | 'attempt'>): string {
  return `approval:${site.callId}#${attempt}`
}

/** Asks, and keeps what was asked and what was decided. */
async function ask(run: Run, call: AskedCall): Promise<ApprovalDecision> {
  const place = `${call.site.callId}#${call.attempt}`
  const approvalId = `${run.request.runId}:${place}`
  const { callId } = call.site
  const { tool, args, demand } = call
  const why = demand.reason === undefined ? {} : { reason: demand.reason }
  write(
    run,
    'approval-request',
    { approvalId, toolName: tool.name, args, ...why },
    { callId, step: { key: `asked:${place}`, value: { args } } },
  )
  await untilKept(run)
  const request = {
    runId: run.request.runId,
    approvalId,
    agent: run.request.agent.name,
    instance: run.request.instance,
    toolName: tool.name,
    args: redacted(run, args),
    ...why,
  }
  const said = await waitForPerson(run, run, (signal) => decisionOf(run, request, signal))
  const decision = 'answer' in said ? said.answer : { decision: 'denied' as const, reason: said.reason }
  write(
    run,
    'approval-result',
    { approvalId, toolName: tool.name, ...decision },
    { callId, step: { key: approvalKey(call), value: { ...decision, args } } },
  )
  return decision
}

/** Somebody who is there says it; else the call waits for who comes. */
function decisionOf(
  run: Run,
  request: Parameters<Approver>[0],
  signal: AbortSignal,
): MaybePromise<ApprovalDecision> {
  const { approve, waiting } = run.root
  const { approvalId } = request
  if (approve !== undefined) return approve(request, signal)
  const announce = (): void => write(run, 'run-waiting', { approvalId })
  return waiting?.wait({ approvalId, announce }, signal) ?? { decision: 'denied' }
}
