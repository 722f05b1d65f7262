import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ScriptedPart } from './scripted-step.ts'

/**
 * Creates a stream that yields one part per pull and awaits promises in between. Fails with the reason of the
 * signal when it aborts.
 */
export function streamOf(
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
export async function awaitOrAbort(
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
