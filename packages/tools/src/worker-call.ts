import type { CallSite } from '@troupe/schema'

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
