import {
  errorMessage,
  troupeError,
  TroupeError,
  type GuardAction,
  type GuardFunction,
  type GuardPlace,
  type GuardSpec,
  type GuardUse,
  type JsonObject,
} from '@troupe/schema'
import { GUARD_ACTIONS, guardName, isAgentUse } from '@troupe/schema/agent-keys'
import type { FunctionGuard, PatternGuard, StockGuard } from '@troupe/schema/ports'
import type { AgentLoadOptions } from './load-function-tools.ts'
import { checkSignature, isCallable, loadCallable } from './load-function.ts'

/** Creates a stock guard from its options. */
export type StockGuardFactory = (options: JsonObject) => StockGuard

/** A guard whose agent is not yet found. */
export interface AgentGuardReference {
  readonly kind: 'agent'
  readonly name: string
  readonly action: GuardAction
  /** Name or path of the agent, as in `agents`. */
  readonly reference: string
}

/** A guard as it is loaded from a card. */
export type LoadedGuard = PatternGuard | FunctionGuard | AgentGuardReference

/** Options of `loadGuards`. */
export interface GuardLoadOptions extends AgentLoadOptions {
  readonly place: GuardPlace
  /** Stock guards by name, without `troupe:`. */
  readonly stock: ReadonlyMap<string, StockGuardFactory>
}

const STOCK_PREFIX = 'troupe:'
const FORM = ['subject', 'ctx'] as const

/**
 * Loads the guards of one place of an agent, in order. An entry is a function (from code only), `troupe:name`,
 * `module.ts:guard`, `{use: 'module.ts:guard', action}`, `{use: 'module.ts:make', …options}`, where `make(options)`
 * returns the guard, or `{agent, action}`. Throws `guard_invalid`, and the errors of `loadFunction`.
 */
export async function loadGuards(
  entries: readonly GuardSpec[],
  options: GuardLoadOptions,
): Promise<readonly LoadedGuard[]> {
  const guards: LoadedGuard[] = []
  for (const entry of entries) guards.push(await toGuard(entry, options))
  return guards
}

async function toGuard(spec: GuardSpec, options: GuardLoadOptions): Promise<LoadedGuard> {
  const name = guardName(spec)
  if (typeof spec === 'function') return functionGuard(spec, { name, action: 'deny' })
  if (typeof spec === 'string') return useGuard({ use: spec }, { name, action: 'deny' }, options)
  const { action = 'deny' } = spec
  requireAction(action, { name, spec, place: options.place })
  if (isAgentUse(spec)) return { kind: 'agent', name, action, reference: spec.agent }
  return useGuard(spec, { name, action }, options)
}

/** Throws for an action that the guard cannot take at its place. */
function requireAction(
  action: string,
  guard: { readonly name: string; readonly spec: GuardSpec; readonly place: GuardPlace },
): void {
  const { name, spec, place } = guard
  if (!GUARD_ACTIONS.some((known) => known === action))
    throw invalid(`The guard ${name} has the action "${action}".`, `Use one of ${GUARD_ACTIONS.join(', ')}.`)
  if (action === 'ask' && place !== 'toolCall')
    throw invalid(
      `The guard ${name} cannot ask for an approval at \`${place}\`, only at \`toolCall\`.`,
      'Use `deny`, `redact` or `note`.',
    )
  if (action === 'redact' && isAgentUse(spec))
    throw invalid(
      `The guard ${name} cannot redact, because an agent decides on whole texts.`,
      'Use `deny` or `note`.',
    )
}

type NamedAction = Pick<FunctionGuard, 'name' | 'action'>

async function useGuard(
  { use, action: _action, ...settings }: GuardUse,
  named: NamedAction,
  options: GuardLoadOptions,
): Promise<LoadedGuard> {
  const given = settings as JsonObject
  if (use.startsWith(STOCK_PREFIX)) return { ...named, ...stockFactory(use, options)(given) }
  const { value, file } = await loadCallable(use, options)
  if (Object.keys(given).length === 0) return functionGuard(value, named, `"${use}" (${file})`)
  const made = await makeGuard(use, () => value(given as never))
  if (isCallable(made)) return functionGuard(made, named)
  throw invalid(
    `The guard ${use} has options, so it must be a function that returns a guard, and it does not.`,
    'Return a function `(subject, ctx)`, or remove the options.',
  )
}

async function makeGuard(use: string, make: () => unknown): Promise<unknown> {
  try {
    return await make()
  } catch (thrown) {
    if (TroupeError.isInstance(thrown)) throw thrown
    throw invalid(`The guard ${use} rejected its options: ${errorMessage(thrown)}`, 'Correct the options.')
  }
}

function stockFactory(use: string, { stock, agent, suggest }: GuardLoadOptions): StockGuardFactory {
  const name = use.slice(STOCK_PREFIX.length)
  const factory = stock.get(name)
  if (factory !== undefined) return factory
  const known = [...stock.keys()]
  const near = suggest?.(name, known)
  const list = known.map((each) => `${STOCK_PREFIX}${each}`).join(', ')
  throw invalid(
    `Agent ${agent}: unknown stock guard "${use}". Known: ${list}.`,
    near === undefined
      ? 'Use a stock guard, or a function of your own as `module.ts:function`.'
      : `Did you mean ${STOCK_PREFIX}${near}?`,
  )
}

function functionGuard(
  value: unknown,
  named: NamedAction,
  label: string = `The guard ${named.name}`,
): FunctionGuard {
  const check = value as GuardFunction
  checkSignature(check, { label, form: FORM })
  return { kind: 'function', ...named, check }
}

function invalid(message: string, fix: string): TroupeError {
  return troupeError('guard_invalid', message, { fix })
}
