import type { HookContext } from '@troupe/schema'

const KEY = 'troupe.hooks'

/**
 * Returns the state of one hook within a scope. `owner` is an object unique to the hook, so that two hooks of
 * one kind do not share state.
 */
export function hookState<State>(
  ctx: Pick<HookContext, 'state'>,
  options: { readonly owner: object; readonly scope: 'run' | 'root' },
  create: () => State,
): State {
  const scope = ctx.state(options.scope)
  const states = (scope.get(KEY) as Map<object, unknown> | undefined) ?? new Map<object, unknown>()
  scope.set(KEY, states)
  if (!states.has(options.owner)) states.set(options.owner, create())
  return states.get(options.owner) as State
}
