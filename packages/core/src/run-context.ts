import type { RunContext } from '@troupe/schema'
import { openChild } from './open-child.ts'
import { tell, type Run } from './run.ts'

/** What the tools of one turn get to see of their run. The history is that before the answer which holds the calls. */
export function runContext(run: Run): RunContext {
  const length = run.messages.length - 1
  return {
    request: run.request,
    depth: run.depth,
    get history() {
      return run.messages.slice(0, length)
    },
    env: (name) => run.prepared?.env(name),
    child: (agent, call) => openChild(run, agent, { ...call, historyEnd: length }),
    log: (text, data) => tell(run, 'log', { text, ...(data === undefined ? {} : { data }) }),
  }
}
