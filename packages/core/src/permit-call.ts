import {
  errorMessage,
  failure,
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
import { createStop, untilStop } from './stop.ts'

interface AskedCall {
  readonly site: CallSite
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
}

/** What the rules and, where they say so, a person make of a call. Undefined: it may run. Where nobody can be asked, what asks is denied (decision 16). */
export function permitCall(run: Run, call: AskedCall): MaybePromise<ToolResult | undefined> {
  const rule = run.prepared?.permission(call.tool) ?? 'deny'
  if (rule === 'allow') return undefined
  if (rule === 'deny') return toolResult.error('permission_denied', `A rule forbids ${call.tool.name}.`)
  return permitByAsking(run, call)
}

async function permitByAsking(run: Run, call: AskedCall): Promise<ToolResult | undefined> {
  const { approve } = run.root
  if (approve === undefined) {
    return toolResult.error(
      'approval_denied',
      `${call.tool.name} needs an approval and there is nobody to ask.`,
    )
  }
  const answer = await ask(run, call, approve)
  if (run.stop.reason !== undefined) return toolResult.failed(run.stop.reason)
  if (answer.decision === 'approved') return undefined
  return toolResult.error(
    'approval_denied',
    `${call.tool.name} was not approved${answer.reason === undefined ? '.' : `: ${answer.reason}`}`,
  )
}

/** Asks, with all clocks up the tree standing still meanwhile (decision 5). */
async function ask(run: Run, call: AskedCall, approve: Approver): Promise<ApprovalDecision> {
  const approvalId = `${run.request.runId}:${call.site.callId}#${call.attempt}`
  const { callId } = call.site
  const { tool, args } = call
  write(run, 'approval-request', { approvalId, toolName: tool.name, args }, { callId })
  const resume = run.deadline?.pause()
  const stop = createStop(run.stop)
  const ms = run.definition.limits.approvalTimeout
  const cancel = run.root.clock.after(ms, () =>
    stop.stop(failure('approval_denied', `nobody answered within ${ms} ms`)),
  )
  let decision: ApprovalDecision
  try {
    await run.root.log.durable()
    const request = {
      runId: run.request.runId,
      approvalId,
      agent: run.request.agent.name,
      instance: run.request.instance,
      toolName: tool.name,
      args: redacted(run, args),
    }
    const asked = await untilStop(Promise.resolve(approve(request, stop.signal)), stop)
    decision = asked ?? { decision: 'denied', reason: stop.reason?.message ?? 'the run was stopped' }
  } catch (thrown) {
    decision = { decision: 'denied', reason: `asking failed: ${errorMessage(thrown)}` }
  } finally {
    cancel()
    stop.detach()
    resume?.()
  }
  write(
    run,
    'approval-result',
    { approvalId, toolName: tool.name, ...decision },
    { callId, step: { key: `approval:${callId}`, value: { ...decision } } },
  )
  return decision
}
