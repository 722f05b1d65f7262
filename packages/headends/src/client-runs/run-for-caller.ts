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

/** Time in ms that a run which is not stored waits for the results of its client. */
export const MAX_CLIENT_WAIT_MS: number = 60 * 60_000

/**
 * Maximum number of runs of a principal that wait for their clients in this process, each in a slot of the server.
 * The one that has waited longest is cancelled.
 */
export const MAX_CLIENT_WAITS = 32

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
  owner: RunOwner,
  context: Pick<HeadendContext, 'runner' | 'connected'>,
): Promise<RunReport | Failure> {
  const { principal } = owner.caller
  const own = { headless: true, ...traceOptions(owner.caller), ...options, principal }
  return connectRun(
    (signal) => context.runner.run(agent, input, { ...own, signal }),
    { ...owner, runId: options.runId },
    context,
  )
}

/** Returns the option of a run that makes it part of the trace of its caller. */
export function traceOptions({
  traceContext,
}: Pick<Caller, 'traceContext'>): Pick<RunOptions, 'traceContext'> {
  return traceContext === undefined ? {} : { traceContext }
}

/**
 * Executes a run for the client of a request, and makes it known to run control. Cancels the run when the client
 * disconnects. Errors that `execute` throws are returned as failures. Never rejects.
 */
export async function connectRun(
  execute: (signal: AbortSignal) => Promise<RunReport>,
  { request, caller, runId }: RunOwner & { readonly runId: string | undefined },
  { connected }: Pick<HeadendContext, 'connected'>,
): Promise<RunReport | Failure> {
  const stop = new AbortController()
  const onDisconnect = (): void => stop.abort(failure('run_cancelled', 'The client disconnected.'))
  if (request.signal.aborted) onDisconnect()
  request.signal.addEventListener('abort', onDisconnect, { once: true })
  const { principal } = caller
  const done = execute(stop.signal).catch((thrown: unknown) => toFailure(thrown))
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
  if (name === undefined) return failure('agent_unknown', 'No agent is served.')
  return failure(
    'agent_unknown',
    `No agent "${name.slice(0, 100)}" is served. Served: ${known}.`,
    'Use one of the served agents.',
  )
}

/** A started run with its events. */
export interface RunStream<End = RunReport | Failure> {
  /** Passes all events to the listener, from the first one. Call once. */
  listen(listener: RunListener): void
  readonly end: Promise<End>
}

/** A run that failed before its first event. */
interface RefusedRun {
  readonly refusal: Failure
}

/**
 * Starts a run and waits for its first event, so that a run that cannot start gets an HTTP status of its own,
 * not an error in the middle of a stream. Stops waiting when `late` resolves, because the run may be queued.
 */
export async function startRunStream<End extends object = RunReport | Failure>(
  run: (onEvent: RunListener) => Promise<End>,
  late?: Promise<undefined>,
): Promise<RunStream<End> | RefusedRun> {
  const buffered: RunEvent[] = []
  let listener: RunListener | undefined
  const first = Promise.withResolvers<End | undefined>()
  const end = run((event) => {
    if (listener !== undefined) return listener(event)
    if (buffered.length === 0) first.resolve(undefined)
    buffered.push(event)
  })
  end.then(first.resolve, first.reject)
  late?.then(first.resolve, first.reject)
  const early = await first.promise
  const refusal = early === undefined || buffered.length > 0 ? undefined : failureOf(early)
  if (refusal !== undefined) return { refusal }
  return {
    end,
    listen(newListener) {
      for (const event of buffered.splice(0)) newListener(event)
      listener = newListener
    },
  }
}

/** Returns the failure that ended a run, if there is one. */
function failureOf(end: object): Failure | undefined {
  if (isFailure(end)) return end
  // only reports have this field
  return 'error' in end ? (end as RunReport).error : undefined
}
