import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'

/** A tool call in an answer. `input` is JSON text. */
export interface AnswerCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Answer of an embedded model. */
export interface EmbeddedAnswer {
  readonly text?: string
  readonly calls?: readonly AnswerCall[]
  readonly usage: LanguageModelV4Usage
}

const MAX_DELTAS = 12

/** Returns the stream parts of an answer: text in a few deltas split between words, then the tool calls. */
export function answerParts(answer: EmbeddedAnswer): readonly LanguageModelV4StreamPart[] {
  const { text = '', calls = [], usage } = answer
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  return [
    { type: 'stream-start', warnings: [] },
    ...textParts(text),
    ...calls.map((call): LanguageModelV4StreamPart => ({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: call.input,
    })),
    { type: 'finish', usage, finishReason: { unified, raw: unified } },
  ]
}

function textParts(text: string): readonly LanguageModelV4StreamPart[] {
  if (text === '') return []
  const id = 'text-0'
  const deltas = toDeltas(text).map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta }))
  return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }]
}

function toDeltas(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*|\s+/gu) ?? []
  const size = Math.ceil(words.length / MAX_DELTAS)
  const deltas: string[] = []
  for (let at = 0; at < words.length; at += size) deltas.push(words.slice(at, at + size).join(''))
  return deltas
}
