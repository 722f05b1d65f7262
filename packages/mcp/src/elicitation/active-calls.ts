import { AsyncLocalStorage } from 'node:async_hooks'
import type { ToolContext } from '@troupe/schema'

/**
 * The calls in progress on one connection, to find out which of them an elicitation belongs to. Several runs
 * may share the connection.
 */
export interface ActiveCalls {
  /** Runs `work` as a call, so that elicitations inside it belong to the call. */
  run<T>(context: ToolContext, work: () => Promise<T>): Promise<T>
  /** Returns the call that the current elicitation belongs to, or `undefined` if that is not known. */
  current(): ToolContext | undefined
}

export function createActiveCalls(): ActiveCalls {
  const active = new Set<{ readonly context: ToolContext }>()
  const flow = new AsyncLocalStorage<{ readonly context: ToolContext }>()
  return {
    async run(context, work) {
      const call = { context }
      active.add(call)
      try {
        return await flow.run(call, work)
      } finally {
        active.delete(call)
      }
    },
    current() {
      const here = flow.getStore()
      if (here !== undefined && active.has(here)) return here.context
      // a stdio server does not name the call of an elicitation, so it is only known if there is just one
      // call
      const [only, ...others] = active
      return others.length === 0 ? only?.context : undefined
    },
  }
}
