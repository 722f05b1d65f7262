import type { HandlerContext } from '../handler.ts'

/** A tool of an agent, and the principal that requests it. */
export interface ToolRef {
  readonly agent: string
  /** Empty if the path has no tool name. */
  readonly name: string
  readonly principal: string
}

/** Returns the agent and the tool that the path names. */
export function toolRefOf({ req, env }: HandlerContext): ToolRef {
  return {
    agent: req.param('agent') ?? '',
    name: req.param('tool') ?? '',
    principal: env.caller.principal,
  }
}
