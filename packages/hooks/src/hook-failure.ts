import { errorMessage, toolResult, type ToolHook, type ToolResult } from '@troupe/schema'

/** Where a hook stands, for messages. */
export interface HookPlace {
  readonly hook: ToolHook
  /** From 0, in declared order. */
  readonly index: number
}

/** The run was stopped before the call got further. */
export function cancelledCall(tool: string): ToolResult {
  return toolResult.error('run_cancelled', `The call of ${tool} was stopped.`)
}

/** The hook threw (B38). */
export function hookThrew(place: HookPlace, thrown: unknown): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(place)} threw: ${errorMessage(thrown)}`)
}

/** The hook passed on what cannot be arguments, or called on after its end. */
export function hookMisused(place: HookPlace, what: string): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(place)} ${what}`)
}

/** The hook returned nothing, or something else than a result. */
export function hookWithoutResult(place: HookPlace, value: unknown): ToolResult {
  const kind =
    value === undefined || value === null ? 'nothing' : `a value of type ${typeof value} that is no result`
  return toolResult.error('hook_no_result', `${nameOf(place)} returned ${kind}.`)
}

/** The hook worked for longer than it may. */
export function hookTookTooLong(place: HookPlace, ms: number): ToolResult {
  return toolResult.error('hook_timeout', `${nameOf(place)} did not finish within ${ms} ms of its own.`)
}

function nameOf({ hook, index }: HookPlace): string {
  return `Tool hook ${index + 1} (${hook.name === '' ? 'anonymous' : hook.name})`
}
