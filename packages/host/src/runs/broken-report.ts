import { randomId } from '@troupe/core'
import type { AgentDefinition, RunOptions, RunReport } from '@troupe/schema'
import type { LoadedHost } from '../load-host.ts'
import { failedReport, problemFailure } from './to-report.ts'

/**
 * Returns a failed report if the requested agent belongs to a card that could not be read. Requesting it is
 * not misuse, so nothing is thrown.
 */
export function brokenReport(
  { agents, broken, entry }: LoadedHost,
  name: string | undefined,
  options: RunOptions,
): RunReport | undefined {
  const card =
    name === undefined
      ? broken.find((each) => 'problem' in entry && each.path === entry.problem.file)
      : agents.has(name)
        ? undefined
        : broken.find((each) => each.stem === name)
  const problem = card?.problems.find(({ severity }) => severity === 'error')
  if (card === undefined || problem === undefined) return undefined
  return failedReport(problemFailure(problem), {
    ...reportBase({ name: card.stem, output: { format: 'text' } }, options),
  })
}

/** Returns the report fields of a run that never started. */
export function reportBase(
  { name, output }: Pick<AgentDefinition, 'name' | 'output'>,
  { runId = randomId('run'), sessionId = runId, output: wanted = output }: RunOptions,
): Parameters<typeof failedReport>[1] {
  return { runId, agent: name, sessionId, format: wanted.format }
}
