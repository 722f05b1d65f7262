import type { PreparedCall } from '../calls/prepare-call.ts'

/** Returns the instance `NAME[i]` of the child that the call starts. Empty for other calls. */
export function childInstance(call: PreparedCall): { readonly childInstance?: string } {
  const { instanceIndex } = call.site
  if (instanceIndex === undefined || call.tool === undefined) return {}
  return { childInstance: `${call.tool.agent ?? call.tool.name}[${instanceIndex}]` }
}
