import {
  isJsonObject,
  resultText,
  type AssistantMessage,
  type Citation,
  type Failure,
  type Json,
  type Message,
  type ToolResult,
  type ToolResultOutput,
  type ToolResultPart,
} from '@troupe/schema'
import { isJsonTextTooDeep } from '@troupe/schema/json'
import type { ModelHandle } from '@troupe/schema/ports'
import { textOfValue, toJson } from '../run/json.ts'

/** A tool call that the model requests. `input` is JSON text that is not validated yet. */
export interface RequestedToolCall {
  readonly toolUseId: string
  readonly wireName: string
  readonly input: string
}

/** The value of an `llm:` step: the parts of an answer that a resumed run needs. */
export interface RecordedAnswer {
  readonly content: AssistantMessage['content']
  readonly finishReason: string
  readonly provider: string
  /** Original arguments by call id, if they are not a JSON object or too deep. Not part of the content. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly lowered?: Failure
  /** Web pages that support the text; absent if there are none. */
  readonly citations?: readonly Citation[]
}

/** Converts an answer to the value of its step. */
export function recordAnswer(
  answer: Pick<RecordedAnswer, 'content' | 'finishReason'> & {
    readonly calls: readonly RequestedToolCall[]
    readonly lowered: Failure | undefined
    readonly citations: readonly Citation[]
  },
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
    ...(answer.citations.length === 0 ? {} : { citations: answer.citations }),
  }
  return recorded as unknown as Json
}

/** Returns the text of a recorded answer. */
export function textOf({ content }: RecordedAnswer): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
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

/** Puts a text in place of all texts of an answer. */
export function withAnswerText(
  content: AssistantMessage['content'],
  text: string,
): AssistantMessage['content'] {
  const first = content.find((part) => part.type === 'text')
  return content
    .filter((part) => part.type !== 'text' || part === first)
    .map((part) => (part.type === 'text' ? { ...part, text } : part))
}

/** The value of a `guard:` step. Texts are only stored if they changed. */
export interface RecordedVerdict {
  readonly texts?: readonly Json[]
  readonly denied?: Failure
  readonly approval?: string
}

/** Returns the key of the step that stores the verdict of guards. */
export function guardStep(key: string): string {
  return `guard:${key}`
}

/** Returns the text of an answer from the texts that its guards let pass. The last one is its JSON, if it has some. */
export function guardedAnswerText(texts: readonly Json[]): string {
  return textOfValue(texts.at(-1) ?? '')
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

function holdsBytes({ type }: AssistantMessage['content'][number]): boolean {
  return type === 'file' || type === 'reasoning-file'
}

/** The value of a `tool:` step: the result as the model got it, and messages merged from a child. */
export type RecordedResult = ToolResult & { readonly merge?: readonly Message[] }

/** Converts a result to the value of its step. */
export function recordResult(result: ToolResult, merge: readonly Message[] | undefined): Json {
  return { ...result, ...(merge === undefined ? {} : { merge }) } as unknown as Json
}

/** Converts a result to the message part for the model. */
export function toolPart(
  { toolUseId, wireName }: { readonly toolUseId: string; readonly wireName: string },
  result: ToolResult,
): ToolResultPart {
  return { type: 'tool-result', toolCallId: toolUseId, toolName: wireName, output: toModelOutput(result) }
}

/** Returns text for errors and text-only results, otherwise content parts. */
function toModelOutput(result: ToolResult): ToolResultOutput {
  if (result.failure !== undefined) return { type: 'error-text', value: resultText(result) }
  if (result.content.every((part) => part.type === 'text')) return { type: 'text', value: resultText(result) }
  return {
    type: 'content',
    value: result.content.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.base64 } },
    ),
  }
}
