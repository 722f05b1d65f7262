import {
  hasAnswer,
  type Message,
  type OutputFile,
  type ToolResult,
  type ToolResultPart,
} from '@troupe/schema'
import { capResult, withinDepth } from './normalise-result.ts'
import { READ_RESULT, type ToolRun } from './read-result.ts'
import { byteLength } from '../run/json.ts'
import type { ExecutedCall } from './execute-call.ts'
import { childInstance, type PreparedCall } from './prepare-call.ts'
import { ONE_TOOL_CALL } from '../run/account.ts'
import { recordResult, toolPart, type RecordedResult } from '../log/recorded-steps.ts'
import { reportCall } from '../log/problems.ts'
import { filesOfContent } from '../model/output-files.ts'
import { redacted } from '../run/run.ts'
import { isResumable } from '../run/cancellation.ts'

/** A finished call, as it is returned to the model. */
export interface SettledCall {
  readonly part: ToolResultPart
  readonly merge: readonly Message[]
  /** Set if the result is the answer of the run. */
  readonly answer?: Pick<ToolResult, 'outcome' | 'content' | 'failure'>
  /** Files of the result, if the agent adds them to its answer. */
  readonly files?: readonly OutputFile[]
}

/** Finishes a call: redacts and truncates the result, counts the call and appends its event. */
export function settleCall(
  run: ToolRun,
  call: PreparedCall,
  executed: { readonly result: ToolResult; readonly attempts: number; readonly durationMs: number },
): SettledCall {
  const hasHooks = run.prepared.hooks.length > 0
  // only a hook can have made the result deeper
  const { merge, ...whole } = hasHooks ? withinDepth(executed.result) : executed.result
  const maxBytes = call.tool?.answersRun === true ? Infinity : run.definition.limits.maxToolResultBytes
  const result = capResult(redacted(run, whole), maxBytes, (text) =>
    call.tool?.name === READ_RESULT ? undefined : run.truncated.store(text),
  )
  const { reason } = run.cancellation
  if (reason === undefined || !isResumable(reason)) run.account.add(run.request.agent.name, ONE_TOOL_CALL)
  reportCall(run, call.tool?.name ?? call.wireName, result)
  appendResult(run, call, { ...executed, result, merge })
  return toSettled(run, call, { result, merge })
}

/** Finishes a call that had ended before the run was interrupted. It was counted when the run was resumed. */
export function settleRecalled(
  run: ToolRun,
  call: PreparedCall,
  { merge, ...result }: RecordedResult,
): SettledCall {
  run.truncated.offerAgain(result)
  return toSettled(run, call, { result, merge })
}

/** Finishes a call from a recording. Its result was redacted and truncated before it was recorded. */
export function settleReplayed(
  run: ToolRun,
  call: PreparedCall,
  { result: { merge, ...result }, ...executed }: ExecutedCall,
): SettledCall {
  run.account.add(run.request.agent.name, ONE_TOOL_CALL)
  reportCall(run, call.tool?.name ?? call.wireName, result)
  run.truncated.offerAgain(result)
  appendResult(run, call, { ...executed, result, merge, durationMs: 0 })
  return toSettled(run, call, { result, merge })
}

function toSettled(
  { definition }: ToolRun,
  { site, wireName, tool }: PreparedCall,
  { result, merge = [] }: { readonly result: ToolResult; readonly merge: readonly Message[] | undefined },
): SettledCall {
  const part = toolPart({ toolUseId: site.toolUseId, wireName }, result)
  const isAnswer = tool?.answersRun === true && hasAnswer(result.outcome)
  if (isAnswer) return { part, merge, answer: result }
  const files =
    definition.output.files === true && hasAnswer(result.outcome) ? filesOfContent(result.content) : []
  return files.length === 0 ? { part, merge } : { part, merge, files }
}

function appendResult(
  run: ToolRun,
  call: PreparedCall,
  executed: {
    readonly result: ToolResult
    readonly merge: readonly Message[] | undefined
    readonly attempts: number
    readonly bytesIn?: number
    readonly durationMs: number
  },
): void {
  if (!run.log.hasListeners) return
  const { result, merge } = executed
  const { tool, site } = call
  const step = run.log.isPersistent
    ? { key: `tool:${site.callId}`, value: recordResult(result, merge) }
    : undefined
  run.log.appendDraft(
    {
      ...run.log.envelope('tool-result', site.callId),
      toolName: tool?.name ?? call.wireName,
      source: tool?.source ?? 'function',
      ...(tool?.server === undefined ? {} : { server: tool.server }),
      outcome: result.outcome,
      content: result.content,
      ...(result.failure === undefined ? {} : { error: result.failure }),
      attempts: executed.attempts,
      durationMs: executed.durationMs,
      bytesIn: executed.bytesIn ?? byteLength(JSON.stringify(call.args)),
      bytesOut: result.content.reduce(
        (sum, part) => sum + (part.type === 'text' ? byteLength(part.text) : part.base64.length),
        0,
      ),
      ...(result.childRunId === undefined ? {} : { childRunId: result.childRunId }),
      ...childInstance(call),
    },
    step,
  )
}
