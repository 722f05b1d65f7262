import type { CallSite } from '@troupe/schema'

/** One call as a worker gets it: plain data. */
export interface WorkerCall {
  /** Of the module, `file:`. */
  readonly url: string
  /** The folder whose modules are read by their syntax. */
  readonly root: string
  /** Of the export: a function, or a tool made by `defineTool`. */
  readonly name: string
  readonly args: unknown
  /** The variables it may read. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly context: { readonly site: CallSite; readonly attempt: number; readonly idempotencyKey: string }
}

/** What a worker says: texts while it works, then how the call ended. */
export type WorkerMessage =
  | { readonly type: 'progress' | 'log'; readonly text: string }
  /** The value, serialised by `node:v8`. */
  | { readonly type: 'done'; readonly bytes: Uint8Array }
  | { readonly type: 'failed'; readonly message: string; readonly failure?: unknown }
