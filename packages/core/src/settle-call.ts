import {
  NO_USAGE,
  resultText,
  type Json,
  type Message,
  type ToolResult,
  type ToolResultOutput,
} from '@troupe/schema'
import { byteLength, capResult } from './cap-result.ts'
import { holdCutResult } from './hold-cut-result.ts'
import type { CallToRun } from './prepare-call.ts'
import { READ_RESULT } from './read-result-tool.ts'
import { childInstance } from './child-instance.ts'
import { isHeard, redacted, write, type Run } from './run.ts'

type ToolPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>

const ONE_TOOL_CALL = Object.freeze({ ...NO_USAGE, toolCalls: 1 })

/** A call that is over: what goes back to the model. */
export interface SettledCall {
  readonly part: ToolPart
  readonly merge: readonly Message[]
}

/** Last third of a call: hide secrets, cap the size, account, tell, and give the model its part. */
export function settleCall(
  run: Run,
  call: CallToRun,
  executed: { readonly result: ToolResult; readonly attempts: number; readonly durationMs: number },
): SettledCall {
  const { merge, ...whole } = executed.result
  const result = capResult(redacted(run, whole), run.definition.limits.maxToolResultBytes, (text) =>
    call.tool?.name === READ_RESULT ? undefined : holdCutResult(run, text),
  )
  run.account.add(run.request.agent.name, ONE_TOOL_CALL)
  writeResult(run, call, { ...executed, result })
  return {
    part: {
      type: 'tool-result',
      toolCallId: call.site.toolUseId,
      toolName: call.wireName,
      output: toModelOutput(result),
    },
    merge: merge ?? [],
  }
}

function writeResult(
  run: Run,
  call: CallToRun,
  executed: { readonly result: ToolResult; readonly attempts: number; readonly durationMs: number },
): void {
  if (!isHeard(run)) return
  const { result } = executed
  const { tool, site } = call
  write(
    run,
    'tool-result',
    {
      toolName: tool?.name ?? call.wireName,
      source: tool?.source ?? 'function',
      ...(tool?.server === undefined ? {} : { server: tool.server }),
      outcome: result.outcome,
      content: result.content,
      ...(result.failure === undefined ? {} : { error: result.failure }),
      attempts: executed.attempts,
      durationMs: executed.durationMs,
      bytesIn: byteLength(JSON.stringify(call.args)),
      bytesOut: result.content.reduce(
        (sum, part) => sum + (part.type === 'text' ? byteLength(part.text) : part.base64.length),
        0,
      ),
      ...(result.childRunId === undefined ? {} : { childRunId: result.childRunId }),
      ...childInstance(call),
    },
    { callId: site.callId, step: { key: `tool:${site.callId}`, value: result as unknown as Json } },
  )
}

/** What the model reads: text for an error, text, or parts where there is something else than text. */
function toModelOutput(result: ToolResult): ToolResultOutput {
  if (result.failure !== undefined) return { type: 'error-text', value: resultText(result) }
  if (result.content.every((part) => part.type === 'text')) return { type: 'text', value: resultText(result) }
  return {
    type: 'content',
    value: result.content.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.base64 } },
    ),
  }
}
