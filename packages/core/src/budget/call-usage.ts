import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Message, ModelHandle, PreparedAgent, Usage } from '@troupe/schema'
import type { FailedAnswer } from '../model-faults/classify-model-error.ts'
import { promptBytes } from '../model/prompt-size.ts'
import type { CompleteAnswer } from '../model/read-answer.ts'
import type { Run } from '../session/run.ts'
import { toUsage } from './to-usage.ts'

const BYTES_PER_TOKEN = 4
/** Larger counts are treated as wrong: no model reads or writes that many tokens. */
const LARGEST = 100_000_000

/**
 * Returns the usage of one model call. Missing or implausible counts are estimated at four bytes per token,
 * and the call is marked as estimated. A refused call used nothing.
 */
export function callUsage(
  run: Run,
  answer: CompleteAnswer | FailedAnswer,
  call: {
    readonly prepared: PreparedAgent
    readonly handle: ModelHandle
    readonly messages: readonly Message[]
  },
): Usage {
  if (answer.replayed !== undefined) return answer.replayed
  const { price } = call.handle
  const isFree = 'failure' in answer && answer.isFree === true
  if (isFree) return { ...toUsage(undefined, price), estimated: 0 }
  const { usage, received = 0 } = answer
  const input = plausible(usage?.inputTokens.total, 1)
  const output = plausible(usage?.outputTokens.total, received > 0 ? 1 : 0)
  if (usage !== undefined && input !== undefined && output !== undefined) return toUsage(usage, price)
  const counted: LanguageModelV4Usage = {
    inputTokens: {
      total: input ?? Math.ceil(promptBytes(run, call.prepared, call.messages) / BYTES_PER_TOKEN),
      noCache: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output ?? Math.ceil(received / BYTES_PER_TOKEN),
      text: undefined,
      reasoning: undefined,
    },
  }
  return { ...toUsage(counted, price), estimated: 1 }
}

function plausible(count: number | undefined, least: number): number | undefined {
  return count !== undefined && Number.isInteger(count) && count >= least && count <= LARGEST
    ? count
    : undefined
}
