import {
  failure,
  toFailure,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
  type AgentDefinition,
  type AgentRunner,
} from '@troupe/schema'
import type { Caller, HeadendContext } from '../headend/headend.ts'

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
    .catch(toRunFailure)
  if (runId !== undefined) connected?.set(runId, { principal, stop, done })
  try {
    return await done
  } finally {
    if (runId !== undefined) connected?.delete(runId)
    request.signal.removeEventListener('abort', onDisconnect)
  }
}

function toRunFailure(thrown: unknown): Failure {
  return toFailure(thrown)
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
