import { serialize } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { readModulesBySyntax } from './module-format.ts'
import type { CallSite } from '@troupe/schema/ports'

/** Limits of a worker's output: bytes of a result, characters of a text, texts per call. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024
const MAX_TEXT = 4000
const MAX_TEXTS = 1000

/**
 * Starts to serve calls, one at a time. Runs in a worker thread, where this module imports only what Node
 * provides.
 */
export function serveCalls(): void {
  parentPort?.on('message', (call: WorkerCall) => {
    void answer(call).then((message) => parentPort?.postMessage(message))
  })
}

async function answer(call: WorkerCall): Promise<WorkerMessage> {
  try {
    const bytes = serialize(await run(call))
    if (bytes.byteLength <= MAX_RESULT_BYTES) return { type: 'done', bytes }
    return {
      type: 'failed',
      message: `the result has ${bytes.byteLength} bytes, more than the limit of ${MAX_RESULT_BYTES}`,
    }
  } catch (thrown) {
    return failed(thrown)
  }
}

async function run(call: WorkerCall): Promise<unknown> {
  readModulesBySyntax(call.root)
  const exported = (await import(/* @vite-ignore */ call.url)) as Readonly<Record<string, unknown>>
  const found = exported[call.name]
  const context = contextOf(call)
  if (typeof found === 'function') return (found as WorkerFunction)(call.args, context)
  return (found as { readonly execute: WorkerFunction }).execute(call.args, context)
}

type WorkerFunction = (args: unknown, context: object) => unknown

/** Returns the part of the tool context that is available in a worker thread. */
function contextOf({ context, env }: WorkerCall): object {
  let texts = 0
  const send = (type: 'progress' | 'log', text: unknown): void => {
    texts += 1
    if (texts <= MAX_TEXTS) parentPort?.postMessage({ type, text: String(text).slice(0, MAX_TEXT) })
  }
  return Object.freeze({
    ...context,
    // never aborts: the thread is terminated if the call is cancelled
    signal: new AbortController().signal,
    progress: (text: unknown) => send('progress', text),
    run: Object.freeze({
      env: (name: string) => (Object.hasOwn(env, name) ? env[name] : undefined),
      log: (text: unknown) => send('log', text),
    }),
  })
}

function failed(thrown: unknown): WorkerMessage {
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  const failure = (thrown as { readonly failure?: unknown } | null | undefined)?.failure
  try {
    return {
      type: 'failed',
      message,
      ...(failure === undefined ? {} : { failure: structuredClone(failure) }),
    }
  } catch {
    // the failure cannot be cloned: send only its message
    return { type: 'failed', message }
  }
}

serveCalls()

/** A call sent to a worker, as plain data. */
export interface WorkerCall {
  /** `file:` URL of the module. */
  readonly url: string
  /** Folder whose module formats are detected by syntax. */
  readonly root: string
  /** Name of the export, which is a function or a tool made by `defineTool`. */
  readonly name: string
  readonly args: unknown
  /** Variables available to the function. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly context: { readonly site: CallSite; readonly attempt: number; readonly idempotencyKey: string }
}

/** A message from a worker: texts during the call, then its result. */
export type WorkerMessage =
  | { readonly type: 'progress' | 'log'; readonly text: string }
  /** Result serialised by `node:v8`. */
  | { readonly type: 'done'; readonly bytes: Uint8Array }
  | { readonly type: 'failed'; readonly message: string; readonly failure?: unknown }
