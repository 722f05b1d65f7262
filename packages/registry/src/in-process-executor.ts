import { runSession } from '@troupe/core'
import { failure, type AgentDefinition, type MaybePromise, troupeError, type ErrorCode } from '@troupe/schema'
import {
  refusedRun,
  type PreparedAgent,
  type RunTreeContext,
  type RunControl,
  type RunExecutor,
  type RunRequest,
  type RunResult,
} from '@troupe/schema/ports'

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
      prepare: async (stop, warn) => prepare(definition, request, { stop, warn }),
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
    `No loaded agent ${name} has the digest ${digest.slice(0, 12)}.`,
    'Load the same cards in both places.',
  )
  return refusedRun(request, reason)
}

/** The agents of one team by name and by digest. Immutable. */
export interface Catalogue {
  get(name: string): AgentDefinition | undefined
  byDigest(digest: string): AgentDefinition | undefined
  /** Returns all agents in the order in which they were added. */
  all(): readonly AgentDefinition[]
}

/**
 * Creates a catalogue. Throws `card_duplicate_name`, which names both files, if two definitions share a name.
 */
export function createCatalogue(definitions: Iterable<AgentDefinition>): Catalogue {
  const byName = new Map<string, AgentDefinition>()
  for (const definition of definitions) {
    const other = byName.get(definition.name)
    if (other !== undefined) throw duplicateName(other, definition)
    byName.set(definition.name, definition)
  }
  const all = Object.freeze([...byName.values()])
  // Built on the first lookup, because reading a digest computes it.
  let byDigest: ReadonlyMap<string, AgentDefinition> | undefined
  return {
    get: (name) => byName.get(name),
    byDigest: (digest) => {
      byDigest ??= new Map(all.map((definition) => [definition.digest, definition]))
      return byDigest.get(digest)
    },
    all: () => all,
  }
}

function duplicateName(first: AgentDefinition, second: AgentDefinition): Error {
  return troupeError(
    'card_duplicate_name',
    `Two agents are named "${second.name}": ${first.source.path} and ${second.source.path}.`,
  )
}

/** A problem that does not end the run. */
export interface RunWarning {
  readonly code: ErrorCode
  readonly message: string
  /** True if the problem affects the result; the report then lists it. */
  readonly weakens?: boolean
  /** The MCP server that the problem is about. */
  readonly server?: string
  /** Path of the key of the card that the problem is about. */
  readonly path?: readonly (string | number)[]
}

/** Called with each warning. */
export type Warn = (warning: RunWarning) => void
