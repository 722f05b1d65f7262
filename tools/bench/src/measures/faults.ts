import assert from 'node:assert/strict'
import { completableRuns, FAULT_RUN, runInput } from '../faults/faults.ts'
import type { Measure } from '../sample-options.ts'
import { startPortServer } from '../servers/start-port-server.ts'

/** On a busy machine an attempt may time out without a fault, which loses a run if it was the last attempt. */
const TOLERATED_LOSSES = 3

/** Returns the wall time in µs of `size` runs with three children each, started at once against a provider that fails. */
export const measure: Measure = async ({ subject, size: runs }) => {
  const server = await startPortServer('flaky-provider')
  const baseURL = `http://127.0.0.1:${server.port}/v1`
  const team =
    subject === 'troupe'
      ? await (await import('../faults/troupe-team.ts')).openTroupeTeam(baseURL)
      : (await import('../faults/plain-team.ts')).openPlainTeam(baseURL)
  try {
    // the first call loads modules, which is not measured
    await team.run(runInput(runs)).catch(() => undefined)
    const startedAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: runs }, (_, run) =>
        team.run(runInput(run)).catch((error: unknown) => String(error)),
      ),
    )
    const wallMs = performance.now() - startedAt
    const complete = answers.filter((answer) => answer === `${FAULT_RUN.childrenPerRun} of the parts`).length
    const lost = completableRuns(runs) - complete
    assert(lost <= TOLERATED_LOSSES, `${lost} runs failed that could have been completed`)
    return wallMs * 1000
  } finally {
    await team.close()
    await server.close()
  }
}
