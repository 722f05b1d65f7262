import {
  isJsonObject,
  isJsonTextTooDeep,
  type Failure,
  type Json,
  type Message,
  type ModelHandle,
} from '@troupe/schema'
import { toJson } from '../tools/normalise-result.ts'
import { rememberProvider } from '../model/messages-for-provider.ts'
import type { RequestedToolCall } from '../model/answer-draft.ts'
import type { CompleteAnswer } from '../model/read-answer.ts'
import type { ModelAnswer } from '../model/ask-model.ts'
import type { Run } from '../run/run.ts'

/** The value of an `llm:` step: the parts of an answer that a resumed run needs. */
export interface RecordedAnswer {
  readonly content: CompleteAnswer['content']
  readonly finishReason: string
  readonly provider: string
  /** Original arguments by call id, if they are not a JSON object or too deep. Not part of the content. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly lowered?: Failure
}

/** Converts an answer to the value of its step. */
export function recordAnswer(
  answer: CompleteAnswer & { readonly lowered?: Failure | undefined },
  { provider }: Pick<ModelHandle, 'provider'>,
): Json {
  const inputs = answer.calls
    .filter(({ input }) => !isObject(input))
    .map((call) => [call.toolUseId, call.input])
  const recorded: RecordedAnswer = {
    content: answer.content.some(holdsBytes) ? (toJson(answer.content) as never) : answer.content,
    finishReason: answer.finishReason,
    provider,
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) as Record<string, string> }),
    ...(answer.lowered === undefined ? {} : { lowered: answer.lowered }),
  }
  return recorded as unknown as Json
}

/** Returns true if this turn had an answer before the run was interrupted. */
export function hasRecordedAnswer({ journal, turn }: Run): boolean {
  return journal?.step(`llm:${turn}`) !== undefined
}

/** Returns the answer that this turn had before the run was interrupted, or `undefined`. */
export function recallAnswer(run: Run): ModelAnswer | undefined {
  const recorded = run.journal?.step(`llm:${run.turn}`) as RecordedAnswer | undefined
  if (recorded === undefined) return undefined
  const { content, finishReason, provider } = recorded
  const message: Message = Object.freeze({ role: 'assistant', content })
  rememberProvider(message, provider)
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (text !== '') run.lastText = text
  return { message, text, calls: callsOf(recorded), finishReason, lowered: recorded.lowered }
}

/** Returns the calls of a recorded answer, without those that the provider executed itself. */
export function callsOf({ content, inputs = {} }: RecordedAnswer): readonly RequestedToolCall[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return []
    const { toolCallId: toolUseId, toolName: wireName } = part
    const input = Object.hasOwn(inputs, toolUseId) ? inputs[toolUseId] : undefined
    return [{ toolUseId, wireName, input: input ?? JSON.stringify(part.input) }]
  })
}

function isObject(input: string): boolean {
  try {
    const value: unknown = JSON.parse(input.trim() === '' ? '{}' : input)
    return isJsonObject(value) && !isJsonTextTooDeep(input, value)
  } catch {
    // the model gets the text back
    return false
  }
}

function holdsBytes({ type }: CompleteAnswer['content'][number]): boolean {
  return type === 'file' || type === 'reasoning-file'
}
