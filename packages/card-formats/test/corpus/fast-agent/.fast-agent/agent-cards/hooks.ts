import type { CallNext, HookContext, JsonObject, ToolResult } from '@troupe/schema'

export const audit = (_context: HookContext, args: JsonObject, callNext: CallNext): Promise<ToolResult> => callNext(args)

export const look = (): undefined => undefined
