import { setImmediate } from 'node:timers/promises'
import { deserialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import {
  errorMessage,
  failure,
  TroupeError,
  troupeError,
  type Failure,
  type ToolContext,
} from '@troupe/schema'
import { createWorkerSlots } from './worker-slots.ts'
import type { WorkerCall, WorkerMessage } from './worker-call.ts'

/** Worker threads for blocking functions. */
export interface FunctionWorkers {
  /**
   * Runs a call in a thread of its own and waits for one if all are busy. Rejects with the error of the
   * function, or with `tool_failed` if its thread ends. If `ctx.signal` aborts, the thread is terminated.
   */
  call(call: Omit<WorkerCall, 'context'>, ctx: ToolContext): Promise<unknown>
  /** Terminates all threads; pending calls fail. */
  close(): Promise<void>
}

/**
 * Creates a pool of worker threads. Threads start on demand, are reused until `close` and do not keep the
 * process alive.
 */
export function createFunctionWorkers({
  size = 4,
  maxHeapMb = 1024,
}: {
  /** Maximum number of threads. */
  readonly size?: number
  /** Heap limit of a thread in MB. A thread that exceeds it is terminated. */
  readonly maxHeapMb?: number
} = {}): FunctionWorkers {
  const slots = createWorkerSlots({
    size,
    create: (lost) => createWorker(maxHeapMb, lost),
    end: (worker) => worker.terminate(),
  })
  return {
    call: async (call, ctx) => {
      const worker = await slots.take(ctx.signal)
      if (worker === undefined) throw stopped()
      const { site, attempt, idempotencyKey } = ctx
      const isAlive = { value: false }
      try {
        const context = { site, attempt, idempotencyKey }
        return await runIn(worker, { ...call, context }, { ctx, isAlive })
      } finally {
        await slots.give(worker, isAlive.value)
      }
    },
    close: () => slots.close(),
  }
}

/** Starts a thread from the file next to this one, which exists in the sources, the package and bundles. */
function createWorker(maxHeapMb: number, onExit: () => void): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./function-worker.${ending}`, import.meta.url), {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  // ignore errors between calls: the exit that follows is handled
  return worker.on('error', () => undefined).on('exit', onExit)
}

/** Runs a call in a thread. Sets `isAlive` if the thread can be reused. */
async function runIn(
  worker: Worker,
  call: WorkerCall,
  { ctx, isAlive }: { readonly ctx: ToolContext; readonly isAlive: { value: boolean } },
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const print = (chunk: Buffer): void => ctx.run.log(chunk.toString().trimEnd().slice(0, 4000))
  const hear = (message: WorkerMessage): void => {
    switch (message.type) {
      case 'progress':
        return ctx.progress(message.text)
      case 'log':
        return ctx.run.log(message.text)
      case 'failed':
        isAlive.value = true
        return reject(toError(message))
      case 'done':
        isAlive.value = true
        return resolve(deserialize(message.bytes))
    }
  }
  let isDying = false
  // messages and the exit arrive on different channels: a result sent before the exit may arrive after it
  const endWith = (why: string): void => {
    isDying = true
    void setImmediate().then(() => reject(crashed(call, why)))
  }
  const died = (thrown: unknown): void => endWith(errorMessage(thrown))
  const left = (code: number): void => endWith(`it ended with code ${code}`)
  const stop = (): void => reject(stopped())
  worker.on('message', hear).on('messageerror', died).on('error', died).on('exit', left)
  worker.stdout.on('data', print)
  worker.stderr.on('data', print)
  ctx.signal.addEventListener('abort', stop, { once: true })
  try {
    worker.ref()
    worker.postMessage(call)
    return await promise
  } finally {
    // output printed before the end arrives in the next turn
    await setImmediate()
    if (isDying) isAlive.value = false
    worker.unref()
    ctx.signal.removeEventListener('abort', stop)
    worker.stdout.off('data', print)
    worker.stderr.off('data', print)
    worker.off('message', hear).off('messageerror', died).off('error', died).off('exit', left)
  }
}

function toError({ message, failure: told }: Extract<WorkerMessage, { type: 'failed' }>): Error {
  return new TroupeError((told as Failure | undefined) ?? failure('tool_failed', message))
}

function crashed({ name }: WorkerCall, why: string): Error {
  return troupeError('tool_failed', `The worker of ${name} died: ${why}.`)
}

function stopped(): Error {
  return troupeError('run_cancelled', 'The call was stopped.')
}
