import { AsyncLocalStorage } from 'node:async_hooks'
import { OpenList, type OpenEntry, type ToolContext } from '@troupe/schema'

/** A call from its begin to its end. */
export type OpenCall = OpenEntry<ToolContext>

/** The calls of one connection that are under way. Several runs may share it, and a question of the server belongs to one of them. */
export interface OpenCalls {
  begin(context: ToolContext): OpenCall
  end(call: OpenCall): void
  /** Does work of a call that has begun; questions that come out of it are the call's. */
  within<T>(call: OpenCall, work: () => T): T
  /** The call that a question just asked belongs to; undefined when that cannot be known. */
  current(): ToolContext | undefined
}

/** No calls yet. */
export function createOpenCalls(): OpenCalls {
  const open = new OpenList<ToolContext>()
  const flow = new AsyncLocalStorage<OpenCall>()
  return {
    begin: (context) => open.add(context),
    end: (call) => void open.delete(call),
    within: (call, work) => flow.run(call, work),
    current() {
      const here = flow.getStore()?.value
      if (here !== undefined) return here
      // over a pipe nothing says which call a question belongs to: with one call there is no doubt
      return open.size === 1 ? open.values()[0] : undefined
    },
  }
}
