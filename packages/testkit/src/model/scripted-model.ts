import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4FinishReason,
} from '@ai-sdk/provider'
import { troupeError, type LanguageModel, type Message } from '@troupe/schema'

/** A call received by the model. */
export interface ScriptedCall {
  /** Zero-based index. */
  readonly index: number
  /** The prompt that the model received. */
  readonly prompt: readonly Message[]
  /** Names of the tools in the request, in order. */
  readonly tools: readonly string[]
  /** All options of the call. */
  readonly options: LanguageModelV4CallOptions
}

/** Answers in the order of the calls, or a function of the prompt. */
export type Script =
  | readonly ScriptedStep[]
  | ((prompt: readonly Message[], call: ScriptedCall) => ScriptedStep | Promise<ScriptedStep>)

/** A model that answers from a script. */
export type ScriptedModel = LanguageModel & {
  /** All calls so far, in order. */
  readonly calls: readonly ScriptedCall[]
  /** Throws if there were more calls or fewer calls than steps. Call it at the end of the test. */
  assertDone(): void
}

/**
 * Creates an in-process model without network or delays. A call beyond the last step fails with
 * `model_script_exhausted`.
 */
export function scriptedModel(
  script: Script,
  options: { readonly provider?: string; readonly modelId?: string } = {},
): ScriptedModel {
  const calls: ScriptedCall[] = []
  let issuedIds = 0
  let answered = 0

  function stepFor(call: ScriptedCall): ScriptedStep | Promise<ScriptedStep> {
    if (typeof script === 'function') return script(call.prompt, call)
    const step = script[call.index]
    if (step === undefined) throw unexpectedCall(call, script.length)
    answered += 1
    return step
  }

  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'script',
    modelId: options.modelId ?? 'script',
    supportedUrls: {},
    calls,
    doGenerate: () =>
      Promise.reject(troupeError('usage_invalid', 'A scripted model only streams: call doStream.')),
    async doStream(callOptions) {
      callOptions.abortSignal?.throwIfAborted()
      const call = recordCall(calls, callOptions)
      const step = await stepFor(call)
      if ('error' in step) {
        await awaitOrAbort(step.wait, callOptions.abortSignal)
        throw step.error
      }
      const parts = stepParts(step, () => `call-${(issuedIds += 1)}`)
      return { stream: streamOf(parts, callOptions.abortSignal) }
    },
    assertDone() {
      if (typeof script === 'function') return
      const extra = calls[script.length]
      if (extra !== undefined) throw unexpectedCall(extra, script.length)
      if (answered < script.length) {
        throw troupeError(
          'usage_invalid',
          `The script has ${script.length} steps, but the model was called ${answered} times.`,
        )
      }
    },
  }
}

function recordCall(calls: ScriptedCall[], options: LanguageModelV4CallOptions): ScriptedCall {
  const call = {
    index: calls.length,
    prompt: options.prompt,
    tools: (options.tools ?? []).map((tool) => tool.name),
    options,
  }
  calls.push(call)
  return call
}

function unexpectedCall(call: ScriptedCall, steps: number): Error {
  const last = JSON.stringify(call.prompt.at(-1) ?? null).slice(0, 500)
  return troupeError(
    'model_script_exhausted',
    `The script has ${steps} steps; this is call ${call.index + 1}. The last message of its prompt: ${last}`,
  )
}

/**
 * Creates a stream that yields one part per pull and awaits promises in between. Fails with the reason of the
 * signal when it aborts.
 */
function streamOf(
  parts: readonly ScriptedPart[],
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const queue = [...parts]
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      for (;;) {
        signal?.throwIfAborted()
        const part = queue.shift()
        if (part === undefined) return controller.close()
        if (!(part instanceof Promise)) return controller.enqueue(part)
        await awaitOrAbort(part, signal)
      }
    },
  })
}

/** Awaits the promise, if there is one. Rejects with the reason of the signal if it aborts first. */
async function awaitOrAbort(
  promise: Promise<unknown> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) {
    await promise
    return
  }
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

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
  /** Input tokens. */
  readonly input?: number
  /** Output tokens. */
  readonly output?: number
  /** Input tokens that were read from the cache. */
  readonly cacheRead?: number
  /** Input tokens that were written to the cache. */
  readonly cacheWrite?: number
  /** Output tokens for reasoning. */
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
  /** Tool calls of the step. */
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
function stepParts(step: ScriptedStep, nextId: () => string): readonly ScriptedPart[] {
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
