import {
  addUsage,
  failure,
  NO_USAGE,
  readClientToolName,
  toUsageReport,
  type Failure,
  type JsonObject,
  type RunEvent,
  type RunReport,
  type UsageReport,
} from '@troupe/schema'
import { createAnswerText } from '../client-runs/answer-text.ts'
import { isFailure } from '../headend/errors.ts'
import { toCallId } from './call-id.ts'

/** A call that the client has to execute. */
export interface ClientCall {
  readonly id: string
  readonly approvalId: string
  /** Name under which the client offered the tool. */
  readonly name: string
  readonly args: JsonObject
}

/** An answer that ends with calls. The run waits for their results. */
export interface WaitingAnswer {
  readonly calls: readonly ClientCall[]
  /** Text of the agent before the calls. */
  readonly text: string
  readonly usage: UsageReport
}

/** The end of one answer to a client: the end of the run, or calls for the client. */
export type ModelRunEnd = RunReport | Failure | WaitingAnswer

/** Returns true for an answer that ends with calls. */
export function isWaitingAnswer(end: ModelRunEnd): end is WaitingAnswer {
  return 'calls' in end
}

/** Collects what a client gets of one answer, from the events of the run. */
export interface AnswerCollector {
  read(event: RunEvent): void
  /** Returns the end of the answer, with the usage of this answer alone. `undefined` stands for a run that waits. */
  end(end: RunReport | Failure | undefined): ModelRunEnd
}

/** Creates a collector. With `isWhole`, text before calls is left out, as for JSON. */
export function createAnswerCollector({ isWhole }: { readonly isWhole: boolean }): AnswerCollector {
  const answer = createAnswerText({ isWhole })
  const calls: ClientCall[] = []
  let text = ''
  let usage = NO_USAGE
  return {
    read(event) {
      text += answer.read(event)
      if (event.type === 'usage') usage = addUsage(usage, event.tokens)
      if (event.type === 'approval-request' && event.client === true) calls.push(toClientCall(event))
    },
    end(end) {
      const isWaiting = end === undefined || (!isFailure(end) && end.error?.code === 'run_waiting')
      const used = toUsageReport(usage, [])
      if (isWaiting && calls.length > 0) return { calls: calls.toSorted(byPosition), text, usage: used }
      if (end === undefined || isFailure(end))
        return end ?? failure('internal', 'The run waits, but not for its client.')
      return { ...end, usage: { ...end.usage, ...used } }
    },
  }
}

/** Returns the call of a client in a request event. */
export function toClientCall({
  runId,
  approvalId,
  toolName,
  args,
}: Extract<RunEvent, { readonly type: 'approval-request' }>): ClientCall {
  return { id: toCallId({ runId, approvalId }), approvalId, name: readClientToolName(toolName), args }
}

/** Orders calls as the model made them, because their requests may be stored in another order. */
function byPosition(one: ClientCall, other: ClientCall): number {
  return one.id.localeCompare(other.id, 'en', { numeric: true })
}
