import {
  failure,
  toFailure,
  type Failure,
  type JsonObject,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { Caller } from './caller.ts'
import type { HeadendContext } from './headend.ts'

/** A run that a request asks for. */
export interface WantedRun {
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
  { agent, input, options = {} }: WantedRun,
  { request, caller }: RunOwner,
  { runner, connected }: Pick<HeadendContext, 'runner' | 'connected'>,
): Promise<RunReport | Failure> {
  const stop = new AbortController()
  const onDisconnect = (): void => stop.abort(failure('run_cancelled', 'The client left.'))
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
