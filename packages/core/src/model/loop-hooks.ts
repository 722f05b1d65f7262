import {
  errorMessage,
  failure,
  type Failure,
  type LoopHookContext,
  type LoopHooks,
  type Message,
} from '@troupe/schema'
import { raceCancellation } from '../run/cancellation.ts'
import { CLEANUP_MS, withTimeout } from '../run/clock.ts'
import type { PreparedRun } from './ask-model.ts'

type Observer = 'beforeTurn' | 'afterTurn' | 'afterModel' | 'onEnd'

type ObserverHook = (ctx: LoopHookContext, subject?: string | Message) => unknown

/** Calls an observing loop hook. Returns the failure of the run if the hook throws. */
export async function callLoopHook(
  run: PreparedRun,
  name: Observer,
  subject?: string | Message,
): Promise<Failure | undefined> {
  const hook = run.prepared.loopHooks[name] as ObserverHook | undefined
  if (hook === undefined) return undefined
  try {
    await waitForHook(run, name, Promise.resolve(hook(loopContext(run), subject)))
    return undefined
  } catch (thrown) {
    return loopHookFailure(run, name, thrown)
  }
}

/**
 * Waits for a hook, at most until the run is cancelled. `onEnd` may run after that and has its own timeout.
 */
function waitForHook(run: PreparedRun, name: Observer, pending: Promise<unknown>): Promise<unknown> {
  if (name !== 'onEnd') return raceCancellation(pending, run.cancellation)
  if (run.cancellation.reason !== undefined) return withTimeout(pending, CLEANUP_MS, run.root.clock)
  return withTimeout(
    raceCancellation(pending, run.cancellation),
    run.definition.limits.hookTimeout,
    run.root.clock,
  )
}

/** Returns the messages of the next model call: the view, or the result of `beforeModel` for this call. */
export async function messagesForModel(run: PreparedRun): Promise<readonly Message[] | Failure> {
  const { view } = run.conversation
  const hook = run.prepared.loopHooks.beforeModel
  if (hook === undefined) return view
  try {
    const pending = Promise.resolve(hook(loopContext(run), view.slice()))
    return (await raceCancellation(pending, run.cancellation)) ?? view
  } catch (thrown) {
    return loopHookFailure(run, 'beforeModel', thrown)
  }
}

/** Creates the failure of a run whose loop hook threw, by mistake or to refuse to continue. */
export function loopHookFailure(run: PreparedRun, name: keyof LoopHooks, thrown: unknown): Failure {
  return failure(
    'hook_failed',
    `The loop hook ${name} stopped the run: ${errorMessage(thrown)}`,
    `Resolve the reason in the message. The hook is \`${name}\` under \`loopHooks\` of ${run.request.agent.name}.`,
  )
}

/** Creates the context of a loop hook. */
export function loopContext(run: PreparedRun): LoopHookContext {
  return {
    agentName: run.request.agent.name,
    instanceName: run.request.instance,
    runId: run.request.runId,
    turn: run.progress.turn,
    signal: run.cancellation.signal,
    get history() {
      return run.conversation.messages.slice()
    },
    log: (text) => run.log.emitTransient('log', { text }),
  }
}
