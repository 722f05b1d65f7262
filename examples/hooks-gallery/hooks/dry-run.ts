import { toolResult, type ToolHook } from '@troupe/schema'

/** Describes calls that change something instead of making them. */
export const dryRun: ToolHook = async (ctx, args, callNext) => {
  if (ctx.toolEffect === 'read') return callNext(args)
  // a call that a rule forbids is refused in a dry run, too
  if (await ctx.isDenied(args)) return callNext(args)
  return toolResult.text(`Dry run: ${ctx.toolName} was not called with ${JSON.stringify(args)}.`)
}
