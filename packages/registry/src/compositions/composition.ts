import type { AgentDefinition } from '@troupe/schema'
import type { Compose } from '@troupe/schema/ports'
import { advised, parallel } from './parallel.ts'
import { chain } from './chain.ts'
import { evaluatorOptimizer, isRating } from './evaluator-optimizer.ts'
import type { Members } from './delegate.ts'
import { orchestrator } from './orchestrator.ts'
import { router } from './router.ts'
import { voting } from './voting.ts'

type CompositionDefinition = Pick<AgentDefinition, 'type' | 'composition' | 'agents'>

/**
 * Returns the function that runs in place of the model and tool loop of an agent, or around it; `undefined` for
 * an agent that runs alone.
 */
export function createComposition(
  { type, composition }: Pick<CompositionDefinition, 'type' | 'composition'>,
  members: Members,
): Compose | undefined {
  switch (type) {
    case 'chain':
      return chain(members)
    case 'parallel':
      return parallel(members)
    case 'router':
      return router(members)
    case 'orchestrator':
      return orchestrator(members)
    case 'evaluator_optimizer': {
      const { generator, evaluator } = members
      return generator && evaluator && evaluatorOptimizer(generator, evaluator)
    }
    case 'voting':
      return members.worker && voting(members.worker)
    default:
      return isComposed({ type, composition }) ? advised(members) : undefined
  }
}

/** Returns true if other agents answer in place of the agent, or before or after it. */
export function isComposed({
  type,
  composition,
}: Pick<CompositionDefinition, 'type' | 'composition'>): boolean {
  const { fanOut = [], fanIn } = composition
  return type !== 'agent' || fanOut.length > 0 || fanIn !== undefined
}

/** Returns the references under the keys of a composition, without those under `agents`. */
export function compositionReferences({
  composition,
}: Pick<CompositionDefinition, 'composition'>): readonly string[] {
  const { sequence = [], fanOut = [], fanIn, handoffs = [], generator, evaluator, worker } = composition
  return [...sequence, ...fanOut, fanIn, ...handoffs, generator, evaluator, worker].filter(
    (name) => name !== undefined,
  )
}

/** Returns true if agents of this type call a model of their own. */
export function needsModel({ type }: Pick<CompositionDefinition, 'type'>): boolean {
  return type === 'agent' || type === 'orchestrator' || type === 'router'
}

/** Returns a message about a missing or invalid key of the composition, or `undefined` if it is valid. */
export function compositionProblem({ type, composition, agents }: CompositionDefinition): string | undefined {
  const { sequence = [], fanOut = [], generator, evaluator, minRating, worker } = composition
  switch (type) {
    case 'chain':
      return sequence.length === 0 ? 'sequence: a chain needs a list of agents to call in order.' : undefined
    case 'parallel':
      return fanOut.length === 0
        ? 'fanOut: a parallel agent needs a list of agents to call concurrently.'
        : undefined
    case 'router':
    case 'orchestrator':
      return agents.length === 0 ? `agents: an agent of the type ${type} needs agents to call.` : undefined
    case 'evaluator_optimizer':
      if (generator === undefined || evaluator === undefined)
        return `${generator === undefined ? 'generator' : 'evaluator'}: an evaluator_optimizer needs a generator and an evaluator agent.`
      return minRating === undefined || isRating(minRating)
        ? undefined
        : `minRating: "${minRating}" must be POOR, FAIR, GOOD, EXCELLENT or a number.`
    case 'voting':
      return worker === undefined ? 'worker: a voting agent needs the agent to ask.' : undefined
    default:
      return undefined
  }
}
