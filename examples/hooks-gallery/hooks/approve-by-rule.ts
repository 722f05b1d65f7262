import type { ToolHook } from '@troupe/schema'

/** Creates a hook that asks a person about refunds above an amount. */
export function approveAbove({ euros }: { readonly euros: number }): ToolHook {
  return (ctx, args, callNext) => {
    // an amount that is not a number is above every limit
    if (ctx.toolName === 'refund' && !(Number(args['amount']) <= euros))
      ctx.requireApproval(`The refund is above ${euros} euros.`)
    return callNext(args)
  }
}
