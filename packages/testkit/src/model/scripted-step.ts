import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** A tool call of the scripted model. */
export interface ScriptedToolCall {
  /** Wire name of the tool. */
  readonly tool: string
  /**
   * Arguments, converted to JSON text. Text is sent unchanged, so that a script may contain invalid JSON.
   * Default: `{}`.
   */
  readonly args?: unknown
  /** Default: `call-1`, `call-2`, … over the life of the model. */
  readonly id?: string
}

/** Reported tokens. Missing counts are 0. */
export interface ScriptedUsage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/**
 * An element of a stream: a part, or a promise to await before the next part. If the promise rejects, the
 * stream fails.
 */
export type ScriptedPart = LanguageModelV4StreamPart | Promise<unknown>

/** One answer of a scripted model. */
export interface ScriptedStep {
  /** Text of the answer. A list is sent as one delta per item. */
  readonly text?: string | readonly string[]
  /** Reasoning before the answer. */
  readonly reasoning?: string
  readonly calls?: readonly ScriptedToolCall[]
  /** Error to throw after `wait`, before there is a stream. */
  readonly error?: unknown
  /** Raw stream parts, in place of everything else. */
  readonly parts?: readonly ScriptedPart[]
  /** Delays everything until the promise settles. */
  readonly wait?: Promise<unknown>
  /** Default: 10 input and 5 output tokens. `null` reports no usage. */
  readonly usage?: ScriptedUsage | null
  /** Default: `tool-calls` if there are calls, else `stop`. */
  readonly finish?: LanguageModelV4FinishReason['unified']
}

/** Returns the stream parts of a step without `error`. */
export function stepParts(step: ScriptedStep, nextId: () => string): readonly ScriptedPart[] {
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

function reasoningParts(text: string | undefined): readonly ScriptedPart[] {
  if (text === undefined) return []
  const id = 'reasoning'
  return [
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: text },
    { type: 'reasoning-end', id },
  ]
}

function textParts(text: ScriptedStep['text']): readonly ScriptedPart[] {
  if (text === undefined) return []
  const id = 'text'
  const deltas = typeof text === 'string' ? [text] : text
  return [
    { type: 'text-start', id },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ]
}

function callParts(call: ScriptedToolCall, nextId: () => string): readonly ScriptedPart[] {
  const id = call.id ?? nextId()
  const input = typeof call.args === 'string' ? call.args : JSON.stringify(call.args ?? {})
  return [
    { type: 'tool-input-start', id, toolName: call.tool },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: call.tool, input },
  ]
}

function finishOf(step: ScriptedStep): LanguageModelV4FinishReason {
  const unified = step.finish ?? ((step.calls ?? []).length > 0 ? 'tool-calls' : 'stop')
  return { unified, raw: unified }
}

function usageOf(
  usage: ScriptedUsage | null | undefined,
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
