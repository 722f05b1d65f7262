import { runSession } from '@troupe/core'
import {
  failure,
  refusedRun,
  type AgentDefinition,
  type MaybePromise,
  type PreparedAgent,
  type RootScope,
  type RunControl,
  type RunExecutor,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import type { Catalogue } from './catalogue.ts'
import type { Warn } from './run-warning.ts'

/** What a run is prepared with. */
export interface PrepareOptions {
  /** Its signal, made when it is read, aborts when the run ends while it is prepared. */
  readonly stop: { readonly signal: AbortSignal }
  /** Tells the watchers of the run; becomes a `warning` event. */
  readonly warn: Warn
}

/** What an in-process executor is made of. */
export interface ExecutorOptions {
  readonly catalogue: Catalogue
  /** Builds everything of a session that does not depend on the run; at once where there is nothing to wait for. What it throws is the failure of that run. */
  prepare(
    definition: AgentDefinition,
    request: RunRequest,
    options: PrepareOptions,
  ): MaybePromise<PreparedAgent>
}

/** An executor that runs in this process; `run` takes a definition that is not, or not so, in the catalogue. */
export interface InProcessExecutor extends RunExecutor {
  run(
    definition: AgentDefinition,
    request: RunRequest,
    parts: { readonly root: RootScope; readonly control: RunControl },
  ): Promise<RunResult>
}

/** Opens a fresh session for every run (R1, C2, C16): nothing mutable is shared between two of them. `start` never rejects. */
export function createInProcessExecutor({ catalogue, prepare }: ExecutorOptions): InProcessExecutor {
  const run: InProcessExecutor['run'] = (definition, request, { root, control }) =>
    runSession({
      definition,
      prepare: (stop, warn) => prepare(definition, request, { stop, warn }),
      request,
      root,
      control,
    })
  return {
    run,
    start: (request, root, control) => {
      const definition = find(catalogue, request.agent)
      return definition === undefined
        ? Promise.resolve(unknownAgent(request))
        : run(definition, request, { root, control })
    },
  }
}

/** By name first: that leaves the digests of the other agents uncomputed. */
function find(catalogue: Catalogue, agent: RunRequest['agent']): AgentDefinition | undefined {
  const named = catalogue.get(agent.name)
  return named?.digest === agent.digest ? named : catalogue.byDigest(agent.digest)
}

function unknownAgent(request: RunRequest): RunResult {
  const { name, digest } = request.agent
  const reason = failure(
    'agent_unknown',
    `There is no agent ${name} with the digest ${digest.slice(0, 12)} here.`,
    'Load the same cards here as where the run was requested.',
  )
  return refusedRun(request, reason)
}
