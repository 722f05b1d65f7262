import type { Message, RunContext } from '@troupe/schema'
import { openChild } from '../children/open-child.ts'
import type { LoopRun } from './loop-run.ts'

/**
 * Creates the context for the tools of one turn. Its history ends before the answer that contains the calls.
 */
export function createTurnContext(
  run: LoopRun,
  historyEnd: number = run.conversation.messages.length - 1,
): RunContext {
  return new TurnContext(run, historyEnd)
}

/**
 * A class, because a getter in an object created every turn costs more than all the rest. Functions are
 * fields and not assigned in the constructor, because V8 allocates those in old space, where each keeps its
 * finished run alive.
 */
class TurnContext implements RunContext {
  readonly request: RunContext['request']
  readonly depth: number
  readonly #run: LoopRun
  readonly #length: number

  constructor(run: LoopRun, historyEnd: number) {
    this.request = run.request
    this.depth = run.depth
    this.#run = run
    this.#length = historyEnd
  }

  readonly env: RunContext['env'] = (name) => this.#run.prepared.env(name)
  readonly child: RunContext['child'] = (agent, call) =>
    openChild(this.#run, agent, { ...call, historyEnd: this.#length })
  readonly log: RunContext['log'] = (text, data) =>
    this.#run.log.emitTransient('log', { text, ...(data === undefined ? {} : { data }) })

  get rootState(): Map<string, unknown> {
    return this.#run.root.state
  }

  get history(): readonly Message[] {
    return this.#run.conversation.messages.slice(0, this.#length)
  }
}
