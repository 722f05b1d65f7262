import {
  isJsonObject,
  type AssistantMessage,
  type Failure,
  type Message,
  type ToolMessage,
} from '@troupe/schema'
import type { RequestedToolCall } from '../log/recorded-steps.ts'
import type { ModelAnswer, PreparedRun } from '../model/ask-model.ts'
import { inheritProvider } from '../model/call-model.ts'
import { loopContext, loopHookFailure } from '../model/loop-hooks.ts'
import { raceCancellation } from '../run/cancellation.ts'
import type { TurnResults } from '../tools/run-calls.ts'

type HookFailure = { readonly failure: Failure }
type CallPart = Extract<AssistantMessage['content'][number], { type: 'tool-call' }>

/**
 * Returns the answer with the tool calls that the hook `beforeTools` changed, in the message too. Calls are
 * neither added nor removed. The caller runs changed calls like those of the model.
 */
export async function changeCalls(run: PreparedRun, answer: ModelAnswer): Promise<ModelAnswer | HookFailure> {
  const hook = run.prepared.loopHooks.beforeTools
  const { message, calls } = answer
  if (hook === undefined || calls.length === 0 || message.role !== 'assistant') return answer
  try {
    const pending = Promise.resolve(hook(loopContext(run), structuredClone(message)))
    const changed = await raceCancellation(pending, run.cancellation)
    // a hook that was interrupted may have been about to change a call
    if (run.cancellation.reason !== undefined) return { failure: run.cancellation.reason }
    return changed === undefined ? answer : withCalls(answer, callParts(changed, calls))
  } catch (thrown) {
    return { failure: loopHookFailure(run, 'beforeTools', thrown) }
  }
}

/** Returns the tool calls of a message by id. Throws if they are not exactly those of the model. */
function callParts(
  { content }: AssistantMessage,
  calls: readonly RequestedToolCall[],
): ReadonlyMap<string, CallPart> {
  const known = new Set(calls.map(({ toolUseId }) => toolUseId))
  const parts = new Map<string, CallPart>()
  for (const part of content) {
    if (part.type !== 'tool-call' || part.providerExecuted === true) continue
    if (!known.has(part.toolCallId)) throw new TypeError('it added a tool call that the model did not make')
    if (!isJsonObject(part.input)) throw new TypeError('it passed arguments that are not a JSON object')
    parts.set(part.toolCallId, part)
  }
  if (parts.size < known.size) throw new TypeError('it removed a tool call, and each needs a result')
  return parts
}

function withCalls(answer: ModelAnswer, changed: ReadonlyMap<string, CallPart>): ModelAnswer {
  const { message } = answer
  if (message.role !== 'assistant') return answer
  const same = new Set<string>()
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call') return part
    const { toolName, input } = changed.get(part.toolCallId) ?? part
    if (toolName === part.toolName && JSON.stringify(input) === JSON.stringify(part.input)) {
      same.add(part.toolCallId)
      return part
    }
    return { ...part, toolName, input }
  })
  if (same.size === changed.size) return answer
  const copy: Message = Object.freeze({ ...message, content })
  inheritProvider(copy, message)
  const calls = answer.calls.map((call) => {
    const part = changed.get(call.toolUseId)
    if (part === undefined || same.has(call.toolUseId)) return call
    return { ...call, wireName: part.toolName, input: JSON.stringify(part.input) }
  })
  return { ...answer, message: copy, calls }
}

/**
 * Returns the results with the outputs that the hook `afterTools` changed. If it failed, returns its failure
 * with the original results.
 */
export async function changeResults(
  run: PreparedRun,
  results: TurnResults,
): Promise<TurnResults & Partial<HookFailure>> {
  const hook = run.prepared.loopHooks.afterTools
  if (hook === undefined) return results
  const { message } = results
  try {
    const pending = Promise.resolve(hook(loopContext(run), structuredClone(message)))
    const changed = await raceCancellation(pending, run.cancellation)
    return changed === undefined ? results : { ...results, message: withOutputs(message, changed) }
  } catch (thrown) {
    return { ...results, failure: loopHookFailure(run, 'afterTools', thrown) }
  }
}

function withOutputs(message: ToolMessage, changed: ToolMessage): ToolMessage {
  const outputs = new Map(
    changed.content.flatMap((part) =>
      part.type === 'tool-result' ? [[part.toolCallId, part.output] as const] : [],
    ),
  )
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: outputs.get(part.toolCallId) ?? part.output } : part,
  )
  return { ...message, content }
}
