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
import type { WorkerCall, WorkerMessage } from './function-worker.ts'

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
  const pool = createWorkerPool({
    size,
    create: (lost) => createWorker(maxHeapMb, lost),
    end: (worker) => worker.terminate(),
  })
  return {
    call: async (call, ctx) => {
      const worker = await pool.acquire(ctx.signal)
      if (worker === undefined) throw cancelledError()
      const { site, attempt, idempotencyKey } = ctx
      const isAlive = { value: false }
      try {
        const context = { site, attempt, idempotencyKey }
        return await runIn(worker, { ...call, context }, { ctx, isAlive })
      } finally {
        await pool.release(worker, isAlive.value)
      }
    },
    close: () => pool.close(),
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
  const onMessage = (message: WorkerMessage): void => {
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
    void setImmediate().then(() => reject(crashedError(call, why)))
  }
  const onError = (thrown: unknown): void => endWith(errorMessage(thrown))
  const onExit = (code: number): void => endWith(`exit code ${code}`)
  const onAbort = (): void => reject(cancelledError())
  worker.on('message', onMessage).on('messageerror', onError).on('error', onError).on('exit', onExit)
  worker.stdout.on('data', print)
  worker.stderr.on('data', print)
  ctx.signal.addEventListener('abort', onAbort, { once: true })
  try {
    worker.ref()
    worker.postMessage(call)
    return await promise
  } finally {
    // output printed before the end arrives in the next turn
    await setImmediate()
    if (isDying) isAlive.value = false
    worker.unref()
    ctx.signal.removeEventListener('abort', onAbort)
    worker.stdout.off('data', print)
    worker.stderr.off('data', print)
    worker.off('message', onMessage).off('messageerror', onError).off('error', onError).off('exit', onExit)
  }
}

function toError({ message, failure: reported }: Extract<WorkerMessage, { type: 'failed' }>): Error {
  return new TroupeError((reported as Failure | undefined) ?? failure('tool_failed', message))
}

function crashedError({ name }: WorkerCall, why: string): Error {
  return troupeError('tool_failed', `The worker of ${name} exited: ${why}.`)
}

function cancelledError(): Error {
  return troupeError('run_cancelled', 'The call was cancelled.')
}

/** A pool of workers that each do one task at a time. */
interface WorkerPool<T> {
  /**
   * Returns a free worker; waits in order if there is none. `undefined` if the signal aborts first or the
   * pool is closed.
   */
  acquire(signal: AbortSignal): Promise<T | undefined>
  /** Returns a worker to the pool. Ends a worker that is not alive, so that another can be created. */
  release(worker: T, isAlive: boolean): Promise<void>
  close(): Promise<void>
}

/** Creates an empty pool. Workers are created on demand. */
export function createWorkerPool<T>(options: {
  readonly size: number
  /** Call `lost` if the worker ends by itself. */
  create(lost: () => void): T
  end(worker: T): Promise<unknown>
}): WorkerPool<T> {
  const { size, create, end } = options
  const all = new Set<T>()
  const idle: T[] = []
  const waiting: (() => void)[] = []
  let isClosed = false

  function make(): T {
    const worker: T = create(() => forget(worker))
    all.add(worker)
    return worker
  }
  function forget(worker: T): void {
    all.delete(worker)
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
  }
  async function drop(worker: T): Promise<void> {
    forget(worker)
    await end(worker)
  }

  return {
    async acquire(signal) {
      const isOver = (): boolean => isClosed || signal.aborted
      while (!isOver()) {
        const free = idle.pop()
        if (free !== undefined) return free
        if (all.size < size) return make()
        await waitForTurn(waiting, signal)
      }
      // pass this turn on to the next waiter
      waiting.shift()?.()
      return undefined
    },
    async release(worker, isAlive) {
      // a worker that ended after its last message must not be reused
      if (isAlive && !isClosed && all.has(worker)) idle.push(worker)
      else await drop(worker)
      waiting.shift()?.()
    },
    async close() {
      isClosed = true
      for (const wake of waiting.splice(0)) wake()
      await Promise.all([...all].map(drop))
    },
  }
}

/** Resolves when it is woken or the signal aborts. */
async function waitForTurn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  signal.addEventListener('abort', wake, { once: true })
  function wake(): void {
    const at = waiting.indexOf(resolve)
    if (at >= 0) waiting.splice(at, 1)
    resolve()
  }
  await promise
  signal.removeEventListener('abort', wake)
}
