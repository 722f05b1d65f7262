import {
  failure,
  toFailure,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type AgentDefinition,
  type AgentRunner,
  type RunEvent,
  type RunListener,
} from '@troupe/schema'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { isFailure } from '../headend/errors.ts'

/** A run that a request asks for. */
export interface CallerRun {
  readonly agent: string
  readonly input: string | JsonObject
  readonly options?: Omit<RunOptions, 'signal' | 'principal'>
}

/** The request that a run belongs to. The run is cancelled when its connection closes. */
export interface RunOwner {
  readonly request: Pick<Request, 'signal'>
  readonly caller: Caller
}

/**
 * Runs an agent for the client of a request, headless unless the options say otherwise. Cancels the run when
 * the client disconnects. Errors that the runner throws are returned as failures. Never rejects.
 */
export async function runForCaller(
  { agent, input, options = {} }: CallerRun,
  { request, caller }: RunOwner,
  { runner, connected }: Pick<HeadendContext, 'runner' | 'connected'>,
): Promise<RunReport | Failure> {
  const stop = new AbortController()
  const onDisconnect = (): void => stop.abort(failure('run_cancelled', 'The client disconnected.'))
  if (request.signal.aborted) onDisconnect()
  request.signal.addEventListener('abort', onDisconnect, { once: true })
  const { principal } = caller
  const { runId } = options
  const done = runner
    .run(agent, input, { headless: true, ...options, principal, signal: stop.signal })
    .catch((thrown: unknown) => toFailure(thrown))
  if (runId !== undefined) connected?.set(runId, { principal, stop, done })
  try {
    return await done
  } finally {
    if (runId !== undefined) connected?.delete(runId)
    request.signal.removeEventListener('abort', onDisconnect)
  }
}

/** Finds a served agent by name. Without a name, returns the entry agent. */
export function servedAgent(
  runner: Pick<AgentRunner, 'agents'>,
  name: string | undefined,
): AgentDefinition | Failure {
  const agents = runner.agents()
  const agent = name === undefined ? agents[0] : agents.find((candidate) => candidate.name === name)
  if (agent !== undefined) return agent
  const known = agents.map((candidate) => candidate.name).join(', ')
  return failure(
    'agent_unknown',
    name === undefined
      ? 'No agent is served.'
      : `No agent "${name.slice(0, 100)}" is served. Served: ${known}.`,
  )
}

/** A started run with its events. */
export interface RunStream {
  /** Passes all events to the listener, from the first one. Call once. */
  listen(listener: RunListener): void
  readonly end: Promise<RunReport | Failure>
}

/** A run that failed before its first event. */
interface RefusedRun {
  readonly refusal: Failure
}

/**
 * Starts a run and waits for its first event, so that a run that cannot start gets an HTTP status of its own,
 * not an error in the middle of a stream. Stops waiting when `late` resolves, because the run may be queued.
 */
export async function startRunStream(
  run: (onEvent: RunListener) => Promise<RunReport | Failure>,
  late?: Promise<undefined>,
): Promise<RunStream | RefusedRun> {
  const buffered: RunEvent[] = []
  let listener: RunListener | undefined
  const first = Promise.withResolvers<RunReport | Failure | undefined>()
  const end = run((event) => {
    if (listener !== undefined) return listener(event)
    if (buffered.length === 0) first.resolve(undefined)
    buffered.push(event)
  })
  end.then(first.resolve, first.reject)
  late?.then(first.resolve, first.reject)
  const early = await first.promise
  const reason = early === undefined ? undefined : isFailure(early) ? early : early.error
  if (buffered.length === 0 && reason !== undefined) return { refusal: reason }
  return {
    end,
    listen(newListener) {
      for (const event of buffered.splice(0)) newListener(event)
      listener = newListener
    },
  }
}
