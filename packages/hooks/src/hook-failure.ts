import { errorMessage, toolResult, type ToolHook, type ToolResult } from '@troupe/schema'

/** A hook and its position in the chain, for error messages. */
export interface HookPlace {
  readonly hook: ToolHook
  /** Zero-based, in declared order. */
  readonly index: number
}

/** Creates the result of a call that did not proceed because the run was cancelled. */
export function cancelledCall(tool: string): ToolResult {
  return toolResult.error('run_cancelled', `The call of ${tool} was stopped.`)
}

/** Creates the result of a call whose hook threw. */
export function hookThrew(place: HookPlace, thrown: unknown): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(place)} threw: ${errorMessage(thrown)}`)
}

/**
 * Creates the result of a call whose hook passed bad arguments to `callNext` or called it after the hook had
 * ended.
 */
export function hookMisused(place: HookPlace, what: string): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(place)} ${what}`)
}

/** Creates the result of a call whose hook returned nothing, or a value that is not a result. */
export function hookWithoutResult(place: HookPlace, value: unknown): ToolResult {
  const kind =
    value === undefined || value === null ? 'nothing' : `a value of type ${typeof value} that is no result`
  return toolResult.error('hook_no_result', `${nameOf(place)} returned ${kind}.`)
}

/** Creates the result of a call whose hook ran into its timeout. */
export function hookTookTooLong(place: HookPlace, ms: number): ToolResult {
  return toolResult.error('hook_timeout', `${nameOf(place)} did not finish within ${ms} ms of its own.`)
}

function nameOf({ hook, index }: HookPlace): string {
  return `Tool hook ${index + 1} (${hook.name === '' ? 'anonymous' : hook.name})`
}
