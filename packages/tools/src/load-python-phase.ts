import { troupeError, type LoopHookContext, type LoopHooks, type Message } from '@troupe/schema'
import { loadPython, type PythonLoadOptions } from './load-python.ts'
import {
  fromDelta,
  fromResults,
  fromCalls,
  toFastAgent,
  type FastAgentMessage,
} from './fast-agent-messages.ts'

/** Names of the phases in fast-agent, by loop hook. */
const PHASES: Readonly<Record<keyof LoopHooks, string>> = {
  beforeTurn: 'before_turn',
  beforeModel: 'before_llm_call',
  afterModel: 'after_llm_call',
  beforeTools: 'before_tool_call',
  afterTools: 'after_tool_call',
  afterTurn: 'after_turn',
  onEnd: 'after_turn_complete',
}

/** The messages after a phase hook: that of its phase, and those since the last answer of the model. */
interface PhaseAnswer {
  readonly message: FastAgentMessage | null
  readonly delta: readonly FastAgentMessage[]
}

/**
 * Loads a Python function as a loop hook. It has the form of fast-agent's hooks, `(ctx)`, and changes the
 * message of its phase in place. Returns `undefined` if the spec does not name a Python function. Throws the
 * errors of `PythonLoader.load`, and `hook_bad_signature`.
 */
export async function loadPythonPhase(
  spec: string,
  when: keyof LoopHooks,
  options: PythonLoadOptions,
): Promise<LoopHooks[keyof LoopHooks] | undefined> {
  const loaded = await loadPython(spec, { kind: 'phase', names: [] }, options)
  if (loaded === undefined) return undefined
  const { fn, file } = loaded
  if (fn.params !== 1)
    throw troupeError(
      'hook_bad_signature',
      `"${spec}" (${file}) has ${fn.params} parameters; the form of a loop hook in Python is (ctx).`,
      { fix: 'Give it one parameter: (ctx).' },
    )
  const ended = new FinalizationRegistry<string>((runId) => fn.endRun(runId))
  const seen = new WeakSet<AbortSignal>()
  const ask = async (
    ctx: LoopHookContext,
    { message, delta = [] }: { readonly message?: Message; readonly delta?: readonly Message[] },
  ): Promise<PhaseAnswer> => {
    // the signal lives as long as the run
    if (!seen.has(ctx.signal)) ended.register(ctx.signal, ctx.runId)
    seen.add(ctx.signal)
    const sent = {
      hook_type: PHASES[when],
      agent_name: ctx.agentName,
      iteration: ctx.turn - 1,
      message: message === undefined ? null : toFastAgent(message),
      delta: delta.map(toFastAgent),
      history: ctx.history.map(toFastAgent),
    }
    const log = (text: string): void => ctx.log(text)
    return (await fn.hook(ctx.runId, sent as never, { signal: ctx.signal, log })) as PhaseAnswer
  }
  return createPhase(when, ask)
}

type AskPhase = (
  ctx: LoopHookContext,
  subject: { readonly message?: Message; readonly delta?: readonly Message[] },
) => Promise<PhaseAnswer>

function createPhase(when: keyof LoopHooks, ask: AskPhase): LoopHooks[keyof LoopHooks] {
  switch (when) {
    case 'beforeModel':
      return createBeforeModel(ask)
    case 'beforeTools':
      return (async (ctx, message) =>
        fromCalls(message, (await ask(ctx, { message })).message)) satisfies LoopHooks['beforeTools']
    case 'afterTools':
      return (async (ctx, message) =>
        fromResults(message, (await ask(ctx, { message })).message)) satisfies LoopHooks['afterTools']
    case 'afterModel':
      return (async (ctx, message) => void (await ask(ctx, { message }))) satisfies LoopHooks['afterModel']
    case 'onEnd':
      return (async (ctx, outcome) => {
        const message = ctx.history.at(-1)
        if (outcome === 'completed') await ask(ctx, message === undefined ? {} : { message })
      }) satisfies LoopHooks['onEnd']
    default:
      return async (ctx: LoopHookContext) => void (await ask(ctx, {}))
  }
}

/**
 * Creates the hook before a model call. fast-agent keeps what the hook changes, so later calls of the run get
 * the changed messages too.
 */
function createBeforeModel(ask: AskPhase): NonNullable<LoopHooks['beforeModel']> {
  /** Messages that a hook put in place of others. */
  const changed = new WeakMap<Message, readonly Message[]>()
  return async (ctx, messages) => {
    const last = messages.findLastIndex(({ role }) => role === 'assistant')
    const delta = messages.slice(last + 1)
    const answer = await ask(ctx, { delta })
    const next = fromDelta(delta, answer.delta)
    const [first, ...rest] = delta
    if (first !== undefined && next !== undefined) {
      changed.set(first, next)
      for (const message of rest) changed.set(message, [])
    }
    return messages.flatMap((message) => changed.get(message) ?? [message])
  }
}
