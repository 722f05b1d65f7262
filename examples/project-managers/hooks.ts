import { toolResult, type CallNext, type HookContext, type JsonObject, type ToolResult } from '@troupe/schema'

/** Logs every tool call with its outcome. */
export async function audit_hook(
  ctx: HookContext,
  args: JsonObject,
  callNext: CallNext,
): Promise<ToolResult> {
  const result = await callNext(args)
  ctx.log(`audit ${ctx.agentName} -> ${ctx.toolName} ${JSON.stringify(args)}: ${result.outcome}`)
  return result
}

/** Denies `shell.execute`, and cuts the `text` argument of other calls to 500 characters. */
export async function safety_guard(
  ctx: HookContext,
  args: JsonObject,
  callNext: CallNext,
): Promise<ToolResult> {
  if (ctx.toolName === 'shell.execute')
    return toolResult.error('permission_denied', 'blocked by safety_guard')
  const { text } = args
  return callNext(typeof text === 'string' ? { ...args, text: text.slice(0, 500) } : args)
}
