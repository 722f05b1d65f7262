import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** One tool call the model makes. */
export interface ScriptToolCall {
  /** The wire name. */
  readonly tool: string
  /** Becomes JSON text; text is taken as it is, so a script may hold broken JSON. Default `{}`. */
  readonly args?: unknown
  /** Default `call-1`, `call-2`, … over the life of the model. */
  readonly id?: string
}

/** Tokens the model reports; what is left out is 0. */
export interface ScriptUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** What stands in a stream: a part, or a promise that must settle before the stream goes on (it fails when that rejects). */
export type ScriptPart = LanguageModelV4StreamPart | Promise<unknown>

/** One answer of a scripted model. */
export interface ScriptStep {
  /** The answer; a list is sent as one delta each. */
  readonly text?: string | readonly string[]
  /** Thinking before the answer. */
  readonly reasoning?: string
  readonly calls?: readonly ScriptToolCall[]
  /** The call fails with this, after `wait` and before there is a stream. */
  readonly error?: unknown
  /** The raw stream, in place of everything else; nothing is added. */
  readonly parts?: readonly ScriptPart[]
  /** Nothing is sent until this settles. */
  readonly wait?: Promise<unknown>
  /** Default 10 in, 5 out; null: the provider reports none. */
  readonly usage?: ScriptUsage | null
  /** Default `tool-calls` with calls, else `stop`. */
  readonly finish?: LanguageModelV4FinishReason['unified']
}

/** The stream of one step that is no error. */
export function stepParts(step: ScriptStep, nextId: () => string): readonly ScriptPart[] {
  const wait = step.wait === undefined ? [] : [step.wait]
  if (step.parts !== undefined) return [...wait, ...step.parts]
  return [
    ...wait,
    { type: 'stream-start', warnings: [] },
    ...reasoningParts(step.reasoning),
    ...textParts(step.text),
    ...(step.calls ?? []).flatMap((call) => callParts(call, nextId)),
    { type: 'finish', finishReason: finishOf(step), usage: usageOf(step.usage) },
  ]
}

function reasoningParts(text: string | undefined): readonly ScriptPart[] {
  if (text === undefined) return []
  const id = 'reasoning'
  return [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: text },
    { type: 'reasoning-end', id },
  ]
}

function textParts(text: ScriptStep['text']): readonly ScriptPart[] {
  if (text === undefined) return []
  const id = 'text'
  const deltas = typeof text === 'string' ? [text] : text
  return [
    { type: 'text-start', id },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ]
}

function callParts(call: ScriptToolCall, nextId: () => string): readonly ScriptPart[] {
  const id = call.id ?? nextId()
  const input = typeof call.args === 'string' ? call.args : JSON.stringify(call.args ?? {})
  return [
    { type: 'tool-input-start', id, toolName: call.tool },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: call.tool, input },
  ]
}

function finishOf(step: ScriptStep): LanguageModelV4FinishReason {
  const unified = step.finish ?? ((step.calls ?? []).length > 0 ? 'tool-calls' : 'stop')
  return { unified, raw: unified }
}

function usageOf(
  usage: ScriptUsage | null | undefined,
): Extract<LanguageModelV4StreamPart, { readonly type: 'finish' }>['usage'] {
  if (usage === null) {
    return {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    }
  }
  const {
    input = 0,
    output = 0,
    cacheRead = 0,
    cacheWrite = 0,
    reasoning = 0,
  } = usage ?? { input: 10, output: 5 }
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}
