import { AsyncLocalStorage } from 'node:async_hooks'
import { OpenList, type OpenEntry, type ToolContext } from '@troupe/schema'

/** A call in progress. */
export type ActiveCall = OpenEntry<ToolContext>

/**
 * The calls in progress on one connection, to find out which of them an elicitation belongs to. Several runs
 * may share the connection.
 */
export interface ActiveCalls {
  begin(context: ToolContext): ActiveCall
  end(call: ActiveCall): void
  /** Runs `work` as part of a call, so that elicitations inside it belong to the call. */
  runWithin<T>(call: ActiveCall, work: () => T): T
  /** Returns the call that the current elicitation belongs to, or `undefined` if that is not known. */
  current(): ToolContext | undefined
}

export function createActiveCalls(): ActiveCalls {
  const open = new OpenList<ToolContext>()
  const flow = new AsyncLocalStorage<ActiveCall>()
  return {
    begin: (context) => open.add(context),
    end: (call) => void open.delete(call),
    runWithin: (call, work) => flow.run(call, work),
    current() {
      const here = flow.getStore()?.value
      if (here !== undefined) return here
      // a stdio server does not name the call of an elicitation, so it is only known if there is just one
      // call
      return open.size === 1 ? open.values()[0] : undefined
    },
  }
}
