import {
  errorMessage,
  failure,
  type Failure,
  type LoopHookContext,
  type LoopHooks,
  type Message,
} from '@troupe/schema'
import { tell, type Run } from './run.ts'

type Observer = 'beforeTurn' | 'afterTurn' | 'afterModel' | 'onEnd'

/** Calls one observing loop hook. What it throws is the failure of the run; undefined: all is well. */
export async function callLoopHook(
  run: Run,
  name: Observer,
  subject?: string | Message,
): Promise<Failure | undefined> {
  const hook = run.prepared?.loopHooks[name] as
    | ((ctx: LoopHookContext, subject?: string | Message) => unknown)
    | undefined
  if (hook === undefined) return undefined
  try {
    await hook(loopContext(run), subject)
    return undefined
  } catch (thrown) {
    return failure('hook_failed', `The loop hook ${name} failed: ${errorMessage(thrown)}`)
  }
}

/** The messages of the next model call: those of the run, or what `beforeModel` made of them for this one call. */
export async function messagesForModel(run: Run): Promise<readonly Message[] | Failure> {
  const hook: LoopHooks['beforeModel'] = run.prepared?.loopHooks.beforeModel
  if (hook === undefined) return run.messages
  try {
    return (await hook(loopContext(run), run.messages.slice())) ?? run.messages
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
    signal: run.stop.signal,
    log: (text) => tell(run, 'log', { text }),
  }
}
