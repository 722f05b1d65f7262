import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { matchesArguments, type ArgumentMatchers } from './value-matcher.ts'

/** An answer that a tool call gets in place of the tool. */
export interface ToolStub {
  /** Arguments that the call must have. Default: any. */
  readonly args?: ArgumentMatchers
  /** The result. Text is returned as it is, any other value as JSON. */
  readonly return?: Json
  /** The message of a call that fails. */
  readonly error?: string
}

const stubSchema = z
  .strictObject({
    args: z.record(z.string(), z.json(), 'expected a mapping of arguments').optional(),
    return: z.json().optional(),
    error: z.string().optional(),
  })
  .refine((stub) => (stub.return === undefined) !== (stub.error === undefined), {
    message: 'a stub needs either `return` or `error`',
  })

/** Schema of the stubs of one tool: one for every call, or a list of them. */
export const stubsSchema: z.ZodType<ToolStub | readonly ToolStub[]> = z.union([
  stubSchema,
  z.array(stubSchema).min(1),
]) as unknown as z.ZodType<ToolStub | readonly ToolStub[]>

/** Chooses the answers of the tools of one run. */
export interface StubbedTools {
  has(toolName: string): boolean
  /**
   * Returns the answer to a call: the first stub with matching arguments that was not used yet, else the last
   * matching one again. `undefined` if none matches.
   */
  next(toolName: string, args: JsonObject): ToolStub | undefined
}

/** Creates the stubs of one run. None is used yet. */
export function createStubbedTools(stubs: ReadonlyMap<string, readonly ToolStub[]>): StubbedTools {
  const used = new Set<ToolStub>()
  return {
    has: (toolName) => stubs.has(toolName),
    next(toolName, args) {
      const matching = (stubs.get(toolName) ?? []).filter(
        (stub) => stub.args === undefined || (isJsonObject(args) && matchesArguments(stub.args, args)),
      )
      const found = matching.find((stub) => !used.has(stub)) ?? matching.at(-1)
      if (found !== undefined) used.add(found)
      return found
    },
  }
}
