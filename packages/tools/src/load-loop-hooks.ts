import type { LoopHooks, LoopHookSpecs } from '@troupe/schema'
import { checkSignature } from './check-signature.ts'
import { isCallable, loadCallable } from './load-callable.ts'
import type { AgentLoadOptions } from './load-function-tools.ts'

/** Parameters of each loop hook. */
const FORMS: Readonly<Record<keyof LoopHooks, readonly string[]>> = {
  beforeTurn: ['ctx'],
  beforeModel: ['ctx', 'messages'],
  afterModel: ['ctx', 'message'],
  afterTurn: ['ctx'],
  onEnd: ['ctx', 'outcome'],
}

/**
 * Loads the loop hooks of an agent: `module.ts:function`, or a function passed from code. Throws like
 * `loadToolHooks`.
 */
export async function loadLoopHooks(specs: LoopHookSpecs, options: AgentLoadOptions): Promise<LoopHooks> {
  const hooks: Record<string, unknown> = {}
  for (const [when, form] of Object.entries(FORMS)) {
    const spec = specs[when as keyof LoopHooks]
    if (spec === undefined) continue
    const hook = isCallable(spec) ? spec : (await loadCallable(spec, options)).value
    const label = isCallable(spec)
      ? `The loop hook ${when} of ${options.agent}`
      : `The loop hook ${when} "${spec}" of ${options.agent}`
    checkSignature(hook, { label, form })
    hooks[when] = hook
  }
  return hooks
}
