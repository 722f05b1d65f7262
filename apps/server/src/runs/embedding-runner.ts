import type { EmbeddingRunner } from '@troupe/headends'
import type { Host } from '@troupe/host'
import { TroupeError, type Budget } from '@troupe/schema'
import { hideFailures, type OnHiddenFailure } from '@troupe/schema/public'
import { LOCAL } from '../gate/principals.ts'
import type { RunAdmission } from './admission.ts'
import type { SpendingLimits } from './spending.ts'

/** Dependencies of the runner. */
interface EmbeddingRunnerParts {
  readonly host: Pick<Host, 'embed' | 'embeddingProblem'>
  /** Ids of the models that callers may use. */
  readonly models: readonly string[]
  readonly admission: Pick<RunAdmission, 'enter'>
  readonly budget: Budget
  readonly spending: SpendingLimits | undefined
  readonly onHidden: OnHiddenFailure
}

/**
 * Creates the runner of embeddings, with the limits of runs: slots of the server, the budget of a run, and the
 * spending of the principal. Throws the failure of a model that cannot be used.
 */
export function createEmbeddingRunner(parts: EmbeddingRunnerParts): EmbeddingRunner {
  const { host, models, admission, budget, spending, onHidden } = parts
  for (const model of models) {
    const problem = host.embeddingProblem(model)
    if (problem !== undefined)
      throw new TroupeError({ ...problem, message: `server.embeddings: ${problem.message}` })
  }
  return {
    models,
    async embed({ model, texts, dimensions }, { principal, signal }) {
      const work = async () => {
        const release = await admission.enter(signal)
        try {
          const spendingLimit = await spending?.admit(principal)
          return await host.embed(model, texts, {
            signal,
            budget,
            ...(dimensions === undefined ? {} : { dimensions }),
            ...(spendingLimit === undefined ? {} : { spendingLimit }),
          })
        } finally {
          release()
        }
      }
      return principal === LOCAL ? work() : hideFailures(work, onHidden)
    },
  }
}
