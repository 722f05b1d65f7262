import {
  errorMessage,
  failure,
  type Failure,
  type LoopHookContext,
  type LoopHooks,
  type MaybePromise,
  type Message,
} from '@troupe/schema'
import { CLEANUP_MS, withTimeout } from '../run/clock.ts'
import { emitTransient, type Run } from '../run/run.ts'
import { raceCancellation } from '../run/cancellation.ts'

type Observer = 'beforeTurn' | 'afterTurn' | 'afterModel' | 'onEnd'

/** Calls an observing loop hook. Returns the failure of the run if the hook throws. */
export function callLoopHook(
  run: Run,
  name: Observer,
  subject?: string | Message,
): Promise<Failure | undefined> | undefined {
  const hook = run.prepared?.loopHooks[name] as ObserverHook | undefined
  return hook === undefined ? undefined : observe(run, { name, hook, subject })
}

type ObserverHook = (ctx: LoopHookContext, subject?: string | Message) => unknown

async function observe(
  run: Run,
  call: {
    readonly name: Observer
    readonly hook: ObserverHook
    readonly subject: string | Message | undefined
  },
): Promise<Failure | undefined> {
  try {
    const working = call.hook(loopContext(run), call.subject)
    if (working instanceof Promise) await waitForHook(run, call.name, working)
    return undefined
  } catch (thrown) {
    return failure('hook_failed', `The loop hook ${call.name} failed: ${errorMessage(thrown)}`)
  }
}

/**
 * Waits for a hook, at most until the run is cancelled. `onEnd` may run after that and has its own timeout.
 */
function waitForHook(run: Run, name: Observer, working: Promise<unknown>): Promise<unknown> {
  if (name !== 'onEnd') return raceCancellation(working, run.cancellation)
  if (run.cancellation.reason !== undefined) return withTimeout(working, CLEANUP_MS, run.root.clock)
  return withTimeout(
    raceCancellation(working, run.cancellation),
    run.definition.limits.hookTimeout,
    run.root.clock,
  )
}

/** Returns the messages of the next model call: the view, or the result of `beforeModel` for this call. */
export function messagesForModel(run: Run): MaybePromise<readonly Message[] | Failure> {
  const hook: LoopHooks['beforeModel'] = run.prepared?.loopHooks.beforeModel
  return hook === undefined ? run.view : changedMessages(run, hook)
}

async function changedMessages(
  run: Run,
  hook: NonNullable<LoopHooks['beforeModel']>,
): Promise<readonly Message[] | Failure> {
  try {
    const working = hook(loopContext(run), run.view.slice())
    const changed = working instanceof Promise ? await raceCancellation(working, run.cancellation) : working
    return changed ?? run.view
  } catch (thrown) {
    return failure('hook_failed', `The loop hook beforeModel failed: ${errorMessage(thrown)}`)
  }
}

function loopContext(run: Run): LoopHookContext {
  return {
    agentName: run.request.agent.name,
    instanceName: run.request.instance,
    runId: run.request.runId,
    turn: run.turn,
    signal: run.cancellation.signal,
    log: (text) => emitTransient(run, 'log', { text }),
  }
}
