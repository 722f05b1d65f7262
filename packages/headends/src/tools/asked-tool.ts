import type { CallContext } from '../handler.ts'

/** A tool of an agent, and who asks for it. */
export interface AskedTool {
  readonly agent: string
  /** Empty where the path names none. */
  readonly name: string
  readonly principal: string
}

/** What a path names. */
export function askedTool({ req, env }: CallContext): AskedTool {
  return {
    agent: req.param('agent') ?? '',
    name: req.param('tool') ?? '',
    principal: env.caller.principal,
  }
}
