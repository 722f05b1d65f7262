import {
  troupeError,
  type HookContext,
  type JsonObject,
  type MaybePromise,
  type ToolContext,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { isPython, locateModule, parseFunctionSpec } from './locate-module.ts'
import type { LoadOptions } from './load-function.ts'
import type { PythonFunction, PythonLoader, WantedFunction } from './python-loader.ts'

/** Options for loading Python functions. */
export interface PythonLoadOptions extends LoadOptions {
  /** Python functions of the team. Without it, Python functions are errors. */
  readonly python?: PythonLoader
  /** Time (ms) after which a Python hook is cancelled, without its calls of `call_next`. Default: none. */
  readonly hookTimeoutMs?: number
  /** Returns the variables of a Python process: those of the card, and the named ones. */
  variables?(names: readonly string[]): Readonly<Record<string, string>>
}

/** A Python function as a tool calls it, with the properties that describe it. */
interface PythonTool {
  readonly file: string
  readonly name: string
  readonly fn: (args: JsonObject, ctx: ToolContext) => Promise<unknown>
}

/**
 * Loads a Python function for a tool. Returns `undefined` if the spec does not name one. Throws the errors of
 * `PythonLoader.load`.
 */
export async function loadPythonTool(
  spec: string,
  names: readonly string[],
  options: PythonLoadOptions,
): Promise<PythonTool | undefined> {
  const loaded = await loadPython(spec, { kind: 'tool', names }, options)
  if (loaded === undefined) return undefined
  const { fn, file } = loaded
  const execute: PythonTool['fn'] = (args, { signal, run }) => fn.call(args, { signal, log: run.log })
  const { name, description, inputSchema: input, effect, capabilities } = fn
  return { file, name, fn: Object.assign(execute, { description, input, effect, capabilities }) }
}

/**
 * Loads a Python hook of the form `(ctx, call_next)` or `(ctx, args, call_next)`. Returns `undefined` if the spec does not name a Python
 * function. Throws the errors of `PythonLoader.load`, and `hook_bad_signature`.
 */
export async function loadPythonHook(
  spec: string,
  options: PythonLoadOptions,
): Promise<ToolHook | undefined> {
  const loaded = await loadPython(spec, { kind: 'hook', names: [] }, options)
  if (loaded === undefined) return undefined
  const { fn, file } = loaded
  if (fn.params !== 2 && fn.params !== 3)
    throw troupeError(
      'hook_bad_signature',
      `"${spec}" (${file}) has ${fn.params} parameters; the form is (ctx, call_next).`,
      { fix: 'Give it two parameters: (ctx, call_next).' },
    )
  const runIdOf = createRunIds(fn)
  const hook: ToolHook = (ctx, args, callNext) => {
    const timeout = startTimeout(ctx, options.hookTimeoutMs)
    const pending = fn.hook(runIdOf(ctx), toPythonContext(ctx, args), {
      signal: timeout.signal,
      log: (text) => ctx.log(text),
      back: async (method, given) => {
        switch (method) {
          case 'call_next':
            return toPythonResult(await timeout.pauseFor(() => callNext(given as JsonObject)))
          case 'is_denied':
            return ctx.isDenied(given as JsonObject)
          case 'require_approval':
            ctx.requireApproval(typeof given === 'string' ? given : undefined)
            return null
          default:
            throw troupeError('hook_failed', `ctx has no method ${method}.`)
        }
      },
    })
    return pending.finally(() => timeout.end()) as Promise<ToolResult>
  }
  return Object.defineProperty(hook, 'name', { value: fn.name })
}

/** The timeout of one call of a hook. The function is abandoned after it, but must not run on. */
interface HookTimeout {
  /** Aborts at the timeout and when the run is cancelled. */
  readonly signal: AbortSignal
  /** Restarts the timeout after `work`. */
  pauseFor<T>(work: () => MaybePromise<T>): Promise<T>
  end(): void
}

function startTimeout({ signal, clock }: HookContext, ms: number | undefined): HookTimeout {
  const stop = new AbortController()
  const start = (): (() => void) => (ms === undefined ? () => undefined : clock.after(ms, () => stop.abort()))
  let cancel = start()
  return {
    signal: ms === undefined ? signal : AbortSignal.any([signal, stop.signal]),
    pauseFor: async (work) => {
      cancel()
      const value = await work()
      // another call may have ended meanwhile
      cancel()
      cancel = start()
      return value
    },
    end: () => cancel(),
  }
}

/** Loads a Python function. Returns `undefined` if the spec does not name one. */
export async function loadPython(
  spec: string,
  { kind, names }: { readonly kind: WantedFunction['kind']; readonly names: readonly string[] },
  options: PythonLoadOptions,
): Promise<{ readonly fn: PythonFunction; readonly file: string } | undefined> {
  const { python, folder, codeRoots, suggest } = options
  const { module, name } = parseFunctionSpec(spec)
  if (python === undefined || !isPython(module)) return undefined
  const { file, root } = await locateModule(module, { spec, folder, codeRoots })
  if (!isPython(file)) return undefined
  options.moduleUrl?.(file)
  const env = options.variables?.(names) ?? {}
  const fn = await python.load({ spec, file, root, name, kind, env, ...(suggest && { suggest }) })
  for (const imported of fn.files) options.moduleUrl?.(imported)
  return { fn, file }
}

/** Returns a function that identifies the run of a hook. Python frees its state after the run. */
function createRunIds(fn: PythonFunction): (ctx: HookContext) => string {
  const ids = new WeakMap<object, string>()
  const ended = new FinalizationRegistry<string>((id) => fn.endRun(id))
  let count = 0
  return (ctx) => {
    const state = ctx.state('run')
    const known = ids.get(state)
    if (known !== undefined) return known
    count += 1
    const id = `${fn.name}:${count}`
    ids.set(state, id)
    ended.register(state, id)
    return id
  }
}

function toPythonContext(ctx: HookContext, args: JsonObject): JsonObject {
  return {
    args,
    agent_name: ctx.agentName,
    instance_name: ctx.instanceName,
    server_name: ctx.serverName ?? null,
    tool_name: ctx.toolName,
    tool_source: ctx.toolSource,
    tool_effect: ctx.toolEffect,
    tool_use_id: ctx.toolUseId,
    correlation_id: ctx.correlationId,
  }
}

/** Converts a result for Python. `isError` of a result for a hook is not enumerable. */
function toPythonResult(result: ToolResult): JsonObject {
  return { ...result, isError: result.isError === true } as unknown as JsonObject
}
