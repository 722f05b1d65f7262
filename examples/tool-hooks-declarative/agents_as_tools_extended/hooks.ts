import type { ToolHook } from '@troupe/schema'

/** Appends the name of the called agent to its answer. Agents are called like any other tool. */
export const byline: ToolHook = async (ctx, args, callNext) => {
  const result = await callNext(args)
  if (ctx.toolSource !== 'agent' || result.outcome !== 'completed') return result
  return { ...result, content: [...result.content, { type: 'text', text: `(by ${ctx.toolName})` }] }
}
