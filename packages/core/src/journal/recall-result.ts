import { toolResult, type Json, type Message, type ToolResult } from '@troupe/schema'
import type { PreparedCall } from '../calls/prepare-call.ts'
import type { Run } from '../session/run.ts'

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
