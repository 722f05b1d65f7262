import { createBudgetLedger, createCancellation, embedTexts, randomId, runLimitName } from '@troupe/core'
import { missingVariables } from '@troupe/env'
import { embeddingModelProblem, resolveEmbeddingModel, type ResolveModelOptions } from '@troupe/models'
import { TroupeError, type Failure, type RunOptions } from '@troupe/schema'
import type { Embeddings } from '@troupe/schema/ports'
import { modelContext } from '../check/model-checks.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import type { RunsContext } from './runs-context.ts'

/** Options of `embed` of a host. */
export interface EmbedOptions extends Pick<RunOptions, 'signal' | 'budget' | 'spendingLimit'> {
  /** Length of the vectors. Default: that of the model. */
  readonly dimensions?: number
}

/** Converts texts to vectors with a model of a configured provider. Rejects with the failure. */
export function embedForTeam(
  model: string,
  texts: readonly string[],
  { signal, budget, spendingLimit, dimensions }: EmbedOptions,
  context: RunsContext,
): Promise<Embeddings> {
  const { live, limiter, clock } = context
  return useTeam(context.team, async (snapshot) => {
    context.requireOpen()
    const handle = await resolveEmbeddingModel(model, embeddingContext(model, snapshot))
    const ledger = spendingLimit?.openLedger(budget) ?? createBudgetLedger(budget)
    const scope = ledger.openScope({ runId: randomId('embeddings'), budget: {}, limitName: runLimitName })
    return live.start(model, async ({ stop: hostStop }) => {
      const stop = createCancellation(signal)
      const unsubscribe = hostStop.onCancel((reason) => stop.cancel(reason))
      try {
        return await embedTexts(handle, { texts, dimensions, stop }, { limiter, clock, budget: scope })
      } finally {
        unsubscribe()
        stop.detach()
        scope?.close()
      }
    })
  })
}

/** Returns the failure of a model that cannot be used for embeddings as the team is configured. */
export function embeddingProblem(model: string, snapshot: TeamSnapshot): Failure | undefined {
  try {
    return embeddingModelProblem(model, embeddingContext(model, snapshot))
  } catch (thrown) {
    if (TroupeError.isInstance(thrown)) return thrown.failure
    throw thrown
  }
}

/** Returns the context of a model that no card names. Throws `env_missing` for variables of its provider. */
function embeddingContext(
  model: string,
  { loaded: { config, environment }, models: { packageFolder, clock } }: TeamSnapshot,
): ResolveModelOptions {
  const { providers } = config.config
  const parts = { environment, providers, packageFolder, folder: config.folder, clock }
  const { context, missing } = modelContext(model, parts)
  if (missing.length > 0) throw new TroupeError(missingVariables(missing, environment))
  return context
}
