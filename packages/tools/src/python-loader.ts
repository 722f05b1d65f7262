import type { Json, JsonObject } from '@troupe/schema'

/** How a Python function is used: as a tool, as a hook `(ctx, call_next)`, or as a loop hook `(ctx)`. */
export type FunctionKind = 'tool' | 'hook' | 'phase'

/** A function of a Python file that a card names. */
export interface WantedFunction {
  /** As written in the card: `tools.py:name`. */
  readonly spec: string
  /** Real path of the file. */
  readonly file: string
  /** Folder that messages name files relative to. */
  readonly root: string
  readonly name: string
  readonly kind: FunctionKind
  /** Variables for its process, in addition to the inherited ones. */
  readonly env: Readonly<Record<string, string>>
  /** Returns the candidate that a misspelt name most likely means. */
  suggest?(name: string, candidates: readonly string[]): string | undefined
}

/** Options of one call. */
export interface PythonCallOptions {
  readonly signal: AbortSignal
  log?(text: string): void
  /** Answers a call that the function makes back to Troupe, such as `call_next`. */
  back?(method: string, args: Json): Promise<Json>
}

/** A loaded Python function. Its process is started again if it has ended. */
export interface PythonFunction {
  readonly name: string
  /** Number of parameters. */
  readonly params: number
  readonly description: string
  /** Input schema from the signature. Empty for hooks. */
  readonly inputSchema: JsonObject
  /** Attribute `effect` of the function. Not checked. */
  readonly effect: Json | undefined
  /** Attribute `capabilities` of the function. Not checked. */
  readonly capabilities: Json | undefined
  /** The file and the files beside it that it imports. Real paths. */
  readonly files: readonly string[]
  /**
   * Calls the function. Bytes that it returns are a `Uint8Array`. Rejects with `tool_failed` and the last
   * frame of the traceback if it raises, and with `run_cancelled` once the signal aborts.
   */
  call(args: JsonObject, options: PythonCallOptions): Promise<unknown>
  /** Calls the function as a hook. Hooks with the same `run` share `ctx.state`, phase hooks `ctx.runner`. */
  hook(run: string, ctx: JsonObject, options: PythonCallOptions): Promise<unknown>
  /** Frees the state of a run. */
  endRun(run: string): void
}

/** Loads Python functions. */
export interface PythonLoader {
  /**
   * Loads a function, and starts its process if necessary. Throws `python_unavailable`,
   * `function_load_failed`, `function_not_found`, `function_not_callable`, or `function_bad_spec` for
   * parameters that a tool cannot have.
   */
  load(wanted: WantedFunction): Promise<PythonFunction>
}
