import type { Message } from '@troupe/schema'
import { inputMessage, type PreparedAgent, type RunContext } from '@troupe/schema/ports'
import { openBudget } from '../budget/reserve-call.ts'
import { Children } from '../children/watch-child.ts'
import { ModelConversation, type ConversationRun } from '../context/conversation.ts'
import { inputBound } from '../context/prompt-size.ts'
import type { LoggedRun } from '../log/run-log.ts'
import type { PreparedRun } from '../model/ask-model.ts'
import { TruncatedResults, type ToolRun } from '../tools/read-result.ts'
import { openChild } from '../children/open-child.ts'

/** A run whose agent is prepared, with all parts that the loop needs. */
export interface LoopRun extends PreparedRun, ToolRun {}

/** Adds the parts of the loop to a run and opens its budget. */
export function createLoopRun(logged: LoggedRun, prepared: PreparedAgent): LoopRun {
  const { request } = logged
  const input = prepared.compose === undefined ? [inputMessage(request.input, request.attachments)] : []
  const run: ConversationRun = {
    ...logged,
    conversation: new ModelConversation(request.history ?? [], input),
  }
  const { messages } = run.conversation
  return {
    ...run,
    prepared,
    budget: openBudget(run, prepared, (handle) => inputBound(run, prepared, { handle, messages })),
    openModels: new Map(),
    hookState: new Map(),
    truncated: new TruncatedResults(run, prepared),
    children: new Children(request),
  }
}

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
 * A class, because creating an object with a getter every turn costs more than its other members. Functions are
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
