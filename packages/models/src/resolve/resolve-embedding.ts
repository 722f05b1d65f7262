import { failure, TroupeError, type Failure } from '@troupe/schema'
import type { EmbeddingHandle } from '@troupe/schema/ports'
import type { ResolveModelOptions } from '../config/model-context.ts'
import { toContext } from '../config/to-context.ts'
import { planModel, type ModelPlan } from './model-plan.ts'
import { openProvider, type ProviderSource } from './open-provider.ts'

/**
 * Resolves the id of an embedding model, `provider/name`. Throws `model_unknown`, `env_missing` or
 * `config_invalid`, also for a provider without embedding models.
 */
export async function resolveEmbeddingModel(
  id: string,
  options: ResolveModelOptions = {},
): Promise<EmbeddingHandle> {
  const context = toContext(options)
  const plan = planEmbeddingModel(id, planModel(id, context))
  if ('code' in plan) throw new TroupeError(plan)
  const { adapter, connection, handle } = await openProvider(plan, { source: plan.source, context })
  if (adapter.createEmbeddingModel === undefined) throw new TroupeError(noEmbeddings(id))
  return { ...handle, model: await adapter.createEmbeddingModel(plan.source.modelName, connection) }
}

/** Returns the failure with which {@link resolveEmbeddingModel} would reject, as far as no adapter is needed. */
export function embeddingModelProblem(id: string, options: ResolveModelOptions = {}): Failure | undefined {
  const plan = planEmbeddingModel(id, planModel(id, toContext(options)))
  return 'code' in plan ? plan : undefined
}

function planEmbeddingModel(
  id: string,
  plan: ModelPlan,
): (ModelPlan & { readonly source: ProviderSource }) | Failure {
  const { source, problem } = plan
  if (problem !== undefined) return problem
  if (source?.kind !== 'provider') return noEmbeddings(id)
  return { ...plan, source }
}

function noEmbeddings(id: string): Failure {
  return failure(
    'model_unknown',
    `"${id}": the provider has no embedding models.`,
    'Name a model of another provider, such as openai/text-embedding-3-small.',
  )
}
