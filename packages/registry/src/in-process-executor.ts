import { runSession } from '@troupe/core'
import {
  failure,
  refusedRun,
  type AgentDefinition,
  type MaybePromise,
  type PreparedAgent,
  type RunTreeContext,
  type RunControl,
  type RunExecutor,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import type { Catalogue } from './catalogue.ts'
import type { Warn } from './run-warning.ts'

/** Context for preparing the agent of a run. */
export interface PrepareOptions {
  /** Its `signal`, created on first access, aborts if the run ends during preparation. */
  readonly stop: { readonly signal: AbortSignal }
  /** Emits a `warning` event of the run. */
  readonly warn: Warn
}

/** Options of `createInProcessExecutor`. */
export interface ExecutorOptions {
  readonly catalogue: Catalogue
  /**
   * Builds the parts of a session that do not depend on the run, synchronously if nothing has to be awaited.
   * An error it throws fails the run.
   */
  prepare(
    definition: AgentDefinition,
    request: RunRequest,
    options: PrepareOptions,
  ): MaybePromise<PreparedAgent>
}

/**
 * An executor that runs agents in this process. `run` also accepts a definition that is not in the catalogue,
 * or that differs from the one there.
 */
export interface InProcessExecutor extends RunExecutor {
  run(
    definition: AgentDefinition,
    request: RunRequest,
    parts: { readonly root: RunTreeContext; readonly control: RunControl },
  ): Promise<RunResult>
}

/**
 * Creates an executor that opens a new session for every run, so runs share no mutable state. `start` never
 * rejects.
 */
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

/** Looks the agent up by name first, to avoid computing the digests of the other agents. */
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
