import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { troupeError, type LanguageModel, type Message } from '@troupe/schema'
import { stepParts, type ScriptedPart, type ScriptedStep } from './scripted-step.ts'

/** A call received by the model. */
export interface ScriptedCall {
  /** Zero-based index. */
  readonly index: number
  readonly prompt: readonly Message[]
  /** Names of the tools in the request, in order. */
  readonly tools: readonly string[]
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
          `The script has ${script.length} steps and the model was called ${answered} times.`,
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
