import { AsyncLocalStorage } from 'node:async_hooks'
import type { ToolContext } from '@troupe/schema'

/** The calls of one connection that are under way. Several runs may share it, and a question of the server belongs to one of them. */
export interface OpenCalls {
  begin(context: ToolContext): void
  end(context: ToolContext): void
  /** Does work of a call that has begun; questions that come out of it are the call's. */
  within<T>(context: ToolContext, work: () => T): T
  /** The call that a question just asked belongs to; undefined when that cannot be known. */
  current(): ToolContext | undefined
}

/** No calls yet. */
export function createOpenCalls(): OpenCalls {
  const open = new Set<ToolContext>()
  const flow = new AsyncLocalStorage<ToolContext>()
  return {
    begin: (context) => void open.add(context),
    end: (context) => void open.delete(context),
    within: (context, work) => flow.run(context, work),
    current() {
      const here = flow.getStore()
      if (here !== undefined && open.has(here)) return here
      // over a pipe nothing says which call a question belongs to: with one call there is no doubt
      const [only, ...others] = open
      return others.length === 0 ? only : undefined
    },
  }
}
