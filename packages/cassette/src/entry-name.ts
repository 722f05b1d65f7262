import type { CassetteEntry } from './cassette.ts'
import { textOf } from './text-of.ts'

/** Describes an entry: `usage of turn 2 of the run /1.2`. */
export function entryName({ run, event, call, turn }: CassetteEntry): string {
  const where =
    call === undefined ? (turn === undefined ? '' : ` of turn ${textOf(turn)}`) : ` of the call ${call}`
  return `${event}${where} of the run ${run}`
}
