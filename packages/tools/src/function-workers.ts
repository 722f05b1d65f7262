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

/** Threads for functions that block. */
export interface FunctionWorkers {
  /**
   * Runs a call in a thread that has no other at the time; waits for one when all are busy. Rejects with what the function threw, or
   * `tool_failed` when its thread dies. An abort of `ctx.signal` ends the thread, whatever it does.
   */
  call(call: Omit<WorkerCall, 'context'>, ctx: ToolContext): Promise<unknown>
  /** Ends all threads; calls that are not over fail. */
  close(): Promise<void>
}

/** Threads are made when they are needed and kept until `close`; they do not keep the process alive. */
export function createFunctionWorkers({
  size = 4,
  maxHeapMb = 1024,
}: {
  /** Threads at most. */
  readonly size?: number
  /** Heap of one thread; one that needs more dies. */
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

/** The file stands beside this one, in the sources, in the package and in a bundle. */
function createWorker(maxHeapMb: number, onExit: () => void): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./function-worker.${ending}`, import.meta.url), {
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  // an error between two calls is nobody's; the exit that follows is heard
  return worker.on('error', () => undefined).on('exit', onExit)
}

/** One call in one thread. `isAlive` tells afterwards whether the thread can take another. */
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
  // messages and the end of a thread arrive on different channels: an answer sent before the end may arrive after it
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
    // what was printed before the end arrives right after it
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
