import { AsyncLocalStorage } from 'node:async_hooks'
import type { ToolContext } from '@troupe/schema'

/** The calls of one connection that are under way. Several runs may share it, and a question of the server belongs to one of them. */
export interface OpenCalls {
  /** Does the work of a call; questions that come out of it are the call's. */
  during<T>(context: ToolContext, work: () => Promise<T>): Promise<T>
  /** The call that a question just asked belongs to; undefined when that cannot be known. */
  current(): ToolContext | undefined
}

/** No calls yet. */
export function createOpenCalls(): OpenCalls {
  const open = new Set<ToolContext>()
  const flow = new AsyncLocalStorage<ToolContext>()
  return {
    async during(context, work) {
      open.add(context)
      try {
        return await flow.run(context, work)
      } finally {
        open.delete(context)
      }
    },
    current() {
      const here = flow.getStore()
      if (here !== undefined && open.has(here)) return here
      // over a pipe nothing says which call a question belongs to: with one call there is no doubt
      const [only, ...others] = open
      return others.length === 0 ? only : undefined
    },
  }
}
