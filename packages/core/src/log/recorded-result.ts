import {
  toolResult,
  resultText,
  type Json,
  type Message,
  type ToolResult,
  type ToolResultOutput,
  type ToolResultPart,
} from '@troupe/schema'
import type { PreparedCall } from '../tools/prepare-call.ts'
import type { Run } from '../run/run.ts'

/** The value of a `tool:` step: the result as the model got it, and messages merged from a child. */
export type RecordedResult = ToolResult & { readonly merge?: readonly Message[] }

/** Converts a result to the value of its step. */
export function recordResult(result: ToolResult, merge: readonly Message[] | undefined): Json {
  return { ...result, ...(merge === undefined ? {} : { merge }) } as unknown as Json
}

/** Returns the result that a call had before the run was interrupted, or `undefined`. */
export function recallResult(run: Run, { site }: PreparedCall): RecordedResult | undefined {
  return run.journal?.step(`tool:${site.callId}`) as unknown as RecordedResult | undefined
}

/**
 * Returns an error for a `once` call that was started without a result, because it must not run twice.
 * Returns `undefined` if the call may run.
 */
export function unknownOutcome(run: Run, { site, tool }: PreparedCall): ToolResult | undefined {
  if (tool?.effect !== 'once' || run.journal?.hasStarted(site.callId) !== true) return undefined
  return toolResult.error(
    'tool_outcome_unknown',
    `${tool.name} was at work when the run was interrupted; whether it took effect is not known.`,
  )
}

/** Converts a result to the message part for the model. */
export function toolPart(
  { toolUseId, wireName }: { readonly toolUseId: string; readonly wireName: string },
  result: ToolResult,
): ToolResultPart {
  return { type: 'tool-result', toolCallId: toolUseId, toolName: wireName, output: toModelOutput(result) }
}

/** Returns text for errors and text-only results, otherwise content parts. */
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
