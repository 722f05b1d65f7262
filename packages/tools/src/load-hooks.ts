import {
  errorMessage,
  troupeError,
  TroupeError,
  type AnyFunction,
  type JsonObject,
  type StockHookUse,
  type ToolHook,
  type LoopHooks,
  type LoopHookSpecs,
} from '@troupe/schema'
import { checkSignature, isCallable, loadCallable } from './load-function.ts'
import { loadPythonHook } from './load-python.ts'
import { loadPythonPhase } from './load-python-phase.ts'
import type { AgentLoadOptions } from './load-function-tools.ts'

/** Creates a stock hook from its options. */
export type StockHookFactory = (options: JsonObject) => ToolHook

/** Options of `loadToolHooks`. */
export interface ToolHookLoadOptions extends AgentLoadOptions {
  /** Stock hooks by name, without `troupe:`. */
  readonly stock?: ReadonlyMap<string, StockHookFactory>
}

const STOCK_PREFIX = 'troupe:'
const FORM = ['ctx', 'args', 'callNext'] as const

/**
 * Loads the tool hooks of an agent in order. An entry is a function (from code only), `module.ts:hook`, `hooks.py:hook`,
 * `troupe:name`, `{use: name, …options}` with or without `troupe:`, or `{use: 'module.ts:make', …options}`,
 * where `make(options)` returns the hook. Throws the errors of `loadFunction`, `function_not_callable`,
 * `hook_bad_signature`, and `function_not_found` for an unknown stock hook.
 */
export async function loadToolHooks(
  entries: readonly (string | StockHookUse | ToolHook)[],
  options: ToolHookLoadOptions,
): Promise<readonly ToolHook[]> {
  const hooks: ToolHook[] = []
  for (const entry of entries) hooks.push(await toHook(entry, options))
  return hooks
}

async function toHook(
  entry: string | StockHookUse | ToolHook,
  options: ToolHookLoadOptions,
): Promise<ToolHook> {
  if (isCallable(entry)) return asHook(entry, `A tool hook of ${options.agent}`)
  if (typeof entry !== 'string') return useHook(entry, options)
  if (entry.startsWith(STOCK_PREFIX)) return useHook({ use: entry }, options)
  const python = await loadPythonHook(entry, options)
  if (python !== undefined) return python
  const { value, file } = await loadCallable(entry, options)
  return asHook(value, `"${entry}" (${file})`)
}

async function useHook({ use, ...settings }: StockHookUse, options: ToolHookLoadOptions): Promise<ToolHook> {
  const label = `The tool hook "${use}" of ${options.agent}`
  const make = await factoryOf(use, options)
  let hook: unknown
  try {
    hook = await make(settings)
  } catch (thrown) {
    if (TroupeError.isInstance(thrown)) throw thrown
    throw troupeError('function_load_failed', `${label} rejected its options: ${errorMessage(thrown)}`, {
      cause: thrown,
      fix: 'Correct the options of the hook.',
    })
  }
  if (isCallable(hook)) return asHook(hook, label)
  throw troupeError(
    'function_not_callable',
    `${label} does not return a hook. With options, \`use\` must name a function that returns a hook.`,
    {
      fix: 'Return a hook from the function, or pass the hook as a string without options.',
    },
  )
}

async function factoryOf(
  use: string,
  options: ToolHookLoadOptions,
): Promise<(settings: JsonObject) => unknown> {
  const name = use.startsWith(STOCK_PREFIX) ? use.slice(STOCK_PREFIX.length) : use
  const factory = options.stock?.get(name)
  if (factory !== undefined) return factory
  if (name === use && use.includes(':'))
    return (await loadCallable(use, options)).value as (settings: JsonObject) => unknown
  throw unknownStock(use, name, options)
}

function unknownStock(use: string, name: string, options: ToolHookLoadOptions): Error {
  const known = [...(options.stock?.keys() ?? [])]
  const near = options.suggest?.(name, known)
  const list = known.map((each) => `${STOCK_PREFIX}${each}`).join(', ')
  return troupeError(
    'function_not_found',
    `Agent ${options.agent}: unknown stock hook "${use}". Known: ${list === '' ? 'none' : list}.`,
    {
      fix:
        near === undefined
          ? 'Use a stock hook, or a function of your own as `module.ts:function`.'
          : `Did you mean ${STOCK_PREFIX}${near}?`,
    },
  )
}

function asHook(fn: AnyFunction, label: string): ToolHook {
  checkSignature(fn, { label, form: FORM })
  return fn as ToolHook
}

/** Parameters of each loop hook. */
const FORMS: Readonly<Record<keyof LoopHooks, readonly string[]>> = {
  beforeTurn: ['ctx'],
  beforeModel: ['ctx', 'messages'],
  afterModel: ['ctx', 'message'],
  beforeTools: ['ctx', 'message'],
  afterTools: ['ctx', 'message'],
  afterTurn: ['ctx'],
  onEnd: ['ctx', 'outcome'],
}

/**
 * Loads the loop hooks of an agent: `module.ts:function`, `hooks.py:function`, or a function passed from code. Throws like
 * `loadToolHooks`.
 */
export async function loadLoopHooks(specs: LoopHookSpecs, options: AgentLoadOptions): Promise<LoopHooks> {
  const hooks: Record<string, unknown> = {}
  for (const [when, form] of Object.entries(FORMS)) {
    const spec = specs[when as keyof LoopHooks]
    if (spec === undefined) continue
    const python = isCallable(spec)
      ? undefined
      : await loadPythonPhase(spec, when as keyof LoopHooks, options)
    if (python !== undefined) {
      hooks[when] = python
      continue
    }
    const hook = isCallable(spec) ? spec : (await loadCallable(spec, options)).value
    const label = isCallable(spec)
      ? `The loop hook ${when} of ${options.agent}`
      : `The loop hook ${when} "${spec}" of ${options.agent}`
    checkSignature(hook, { label, form })
    hooks[when] = hook
  }
  return hooks
}
