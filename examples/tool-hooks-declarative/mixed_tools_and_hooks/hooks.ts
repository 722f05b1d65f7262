import { toolResult, type ToolHook } from '@troupe/schema'

/** Refuses to reserve books of shelf R, without calling the tool. */
export const keepTheRareOnes: ToolHook = async (ctx, args, callNext) => {
  if (ctx.toolName !== 'reserve' || args['shelf'] !== 'R') return callNext(args)
  return toolResult.error('permission_denied', 'Books of shelf R are read in the house.')
}
