import { troupeError, type TroupeError } from '@troupe/schema'

/** Location of damage in the log of a run tree. */
export interface DamageLocation {
  readonly rootRunId: string
  /** Id of the damaged row; `undefined` if a row is missing. */
  readonly commit?: number | undefined
  /** The first and the last unreadable event; `undefined` if steps are unreadable. */
  readonly events?: readonly [first: number, last: number] | undefined
}

/** Creates the error for a damaged log. The fix says how to read the undamaged part. */
export function damageError(path: string, { rootRunId, commit, events }: DamageLocation): TroupeError {
  const where = commit === undefined ? 'a commit is gone' : `commit ${commit} is not as it was written`
  const fix =
    events === undefined
      ? `Its events can be read, and it cannot go on: troupe runs show ${rootRunId}.`
      : `What comes after can be read: troupe runs events ${rootRunId} --after ${events[1]}.`
  return troupeError(
    'store_corrupt',
    `${path}: the run ${rootRunId} is damaged: ${where} (${wording(events)}).`,
    { fix: `${fix} Other runs are not touched by it. To forget this one: troupe runs purge ${rootRunId}.` },
  )
}

function wording(events: DamageLocation['events']): string {
  if (events === undefined) return 'steps'
  const [first, last] = events
  return first >= last ? `event ${last}` : `events ${first} to ${last}`
}
