import assert from 'node:assert/strict'
import { completableRuns, FAULT_RUN, runInput, type FaultMix } from '../faults.ts'
import { startModelServer } from '../servers/start-model-server.ts'
import type { OpenTeam } from '../subjects/faulty-team.ts'

const SEED = 1
/** An attempt may time out because the machine is busy, which costs a run if it was the last one. */
const LOST_TO_THE_MACHINE = 3

/**
 * Makes 200 runs with three children each at once against a provider that fails. Returns the wall µs they take together, or the number of runs that
 * are not complete. Rejects if runs are lost whose calls each have an attempt without a fault.
 */
export async function measureFaults(
  openTeam: OpenTeam,
  { mix, what }: { readonly mix: FaultMix; readonly what: 'wall' | 'lost' },
): Promise<number> {
  const { runs, childrenPerRun } = FAULT_RUN
  const args = [JSON.stringify(mix), JSON.stringify(SEED)]
  const server = await startModelServer(new URL('../servers/flaky-provider.ts', import.meta.url), args)
  const team = await openTeam(server.baseURL, FAULT_RUN)
  try {
    // what is loaded with the first call is not what this measures
    await team.run(runInput(runs)).catch(() => undefined)
    const startedAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: runs }, (_, run) =>
        team.run(runInput(run)).catch((error: unknown) => String(error)),
      ),
    )
    const wallMs = performance.now() - startedAt
    const complete = answers.filter((answer) => answer === `${childrenPerRun} of the parts`).length
    const lost = completableRuns(mix, SEED) - complete
    assert(lost <= LOST_TO_THE_MACHINE, `${lost} runs were lost that could be completed`)
    return what === 'wall' ? wallMs * 1000 : runs - complete
  } finally {
    await team.close()
    await server.close()
  }
}
