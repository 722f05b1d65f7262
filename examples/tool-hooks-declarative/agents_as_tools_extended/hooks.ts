import type { ToolHook } from '@troupe/schema'

/** After: says who it was. An agent that is called is a tool call like any other. */
export const byline: ToolHook = async (ctx, args, callNext) => {
  const result = await callNext(args)
  if (ctx.toolSource !== 'agent' || result.outcome !== 'completed') return result
  return { ...result, content: [...result.content, { type: 'text', text: `(by ${ctx.toolName})` }] }
}
