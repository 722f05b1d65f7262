import { createRunPaths } from '@troupe/cassette'
import { troupeError, type RunEvent } from '@troupe/schema'

/**
 * Returns the number of events before a step. A step is a turn: `2` of the root run, `1.2/3` of the run
 * opened by its call 1.2. Throws `run_step_unknown`.
 */
export function findStep(events: readonly RunEvent[], step: string): number {
  const [, path = '', turn = ''] = STEP.exec(step) ?? []
  if (turn === '') throw unknownStepError(`"${step}" names no step`)
  const wanted = `/${path}`
  const places = createRunPaths(events[0]?.rootRunId ?? '')
  const known: string[] = []
  let last = 0
  let ended: RunEvent | undefined
  for (const [index, event] of events.entries()) {
    places.addEvent(event)
    const runPath = places.pathOf(event.runId)
    if (event.type === 'run-start') known.push(`${runPath} (${event.instance})`)
    if (runPath !== wanted) continue
    if (event.type === 'turn-start') last = event.turn
    if (event.type === 'turn-start' && event.turn === Number(turn)) return index
    if (event.type === 'run-end') ended = event
  }
  if (!known.some((run) => run.startsWith(`${wanted} `)))
    throw unknownStepError(
      `the step ${step} is in a run ${wanted} that there was not; there were ${known.join(', ')}`,
    )
  const end = ended === undefined ? 'is in' : 'ended in'
  throw unknownStepError(
    `${ended?.instance ?? `the run ${wanted}`} ${end} turn ${last}: it has no turn ${turn}`,
  )
}

const STEP = /^\/?(?:(\d+\.\d+(?:#\d+)?(?:\/\d+\.\d+(?:#\d+)?)*)\/)?(\d+)$/u

function unknownStepError(why: string): Error {
  return troupeError('run_step_unknown', `The run cannot be forked: ${why}.`)
}
