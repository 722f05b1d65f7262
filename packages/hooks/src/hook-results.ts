import { errorMessage, toolResult, type ToolHook, type ToolResult } from '@troupe/schema'

/** A hook and its position in the chain, for error messages. */
export interface HookPosition {
  readonly hook: ToolHook
  /** Zero-based, in declared order. */
  readonly index: number
}

/** Creates the result of a call that did not proceed because the run was cancelled. */
export function cancelledCall(tool: string): ToolResult {
  return toolResult.error('run_cancelled', `The call of ${tool} was stopped.`)
}

/** Creates the result of a call whose hook threw. */
export function hookThrewResult(position: HookPosition, thrown: unknown): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(position)} threw: ${errorMessage(thrown)}`)
}

/**
 * Creates the result of a call whose hook passed bad arguments to `callNext` or called it after the hook had
 * ended.
 */
export function hookMisusedResult(position: HookPosition, what: string): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(position)} ${what}`)
}

/** Creates the result of a call whose hook returned nothing, or a value that is not a result. */
export function hookWithoutResult(position: HookPosition, value: unknown): ToolResult {
  const kind =
    value === undefined || value === null ? 'nothing' : `a value of type ${typeof value} that is no result`
  return toolResult.error('hook_no_result', `${nameOf(position)} returned ${kind}.`)
}

/** Creates the result of a call whose hook ran into its timeout. */
export function hookTimeoutResult(position: HookPosition, ms: number): ToolResult {
  return toolResult.error('hook_timeout', `${nameOf(position)} did not finish within ${ms} ms of its own.`)
}

function nameOf({ hook, index }: HookPosition): string {
  return `Tool hook ${index + 1} (${hook.name === '' ? 'anonymous' : hook.name})`
}
