import { createPlaces, firstChange, type Change } from '@troupe/cassette'
import type { Json } from '@troupe/schema'
import { valueText } from '../format/value-text.ts'
import type { Picture } from '../folds/picture.ts'

/** The first difference between a fork and its original, as text. */
export interface ShownChange {
  /** Such as `Reporter[1]: run-end, output.text`. */
  readonly where: string
  /** `undefined` if there was nothing. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/**
 * Returns the first difference between two ended runs, ignoring the order of concurrent events; `undefined`
 * if there is none.
 */
export function firstChangeOf(former: Picture, latter: Picture): ShownChange | undefined {
  const change = firstChange(former.events, latter.events)
  if (change === undefined) return undefined
  const where = placeOf(change.entry, [latter, former])
  if (change.kind !== 'other') {
    const text = 'it happened'
    return change.kind === 'new'
      ? { where, before: undefined, after: text }
      : { where, before: text, after: undefined }
  }
  const { path, ...values } = change.difference
  const [before, after] = cutToParting(textOf(values.before), textOf(values.after))
  return { where: path === '' ? where : `${where}, ${path}`, before, after }
}

const AROUND = 60
const SHOWN = 320

/** Cuts two texts to the part around their first difference. */
function cutToParting<Text extends string | undefined>(before: Text, after: Text): readonly [Text, Text] {
  if (before === undefined || after === undefined) return [before, after]
  let parting = 0
  while (parting < before.length && before[parting] === after[parting]) parting += 1
  const start = Math.max(0, parting - AROUND)
  const cut = (text: string): string =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + SHOWN)}${text.length > start + SHOWN ? '…' : ''}`
  return [cut(before) as Text, cut(after) as Text]
}

/** Describes an event and its call or turn. */
function placeOf({ run, event, call, turn }: Change['entry'], pictures: readonly Picture[]): string {
  const isWhole = event === 'run-start' || event === 'run-end'
  const inCall = call === undefined || isWhole ? '' : ` of call ${call}`
  const inTurn = call !== undefined || turn === undefined ? '' : ` of turn ${valueText(turn)}`
  return `${instanceAt(run, pictures)}: ${event}${inCall}${inTurn}`
}

/** Returns the instance name of the run at a position in the tree. */
function instanceAt(place: string, pictures: readonly Picture[]): string {
  for (const { events, timeline } of pictures) {
    const places = createPlaces(timeline.rootRunId ?? '')
    for (const event of events) places.see(event)
    const run = timeline.runs.find(({ runId }) => places.of(runId) === place)
    if (run !== undefined) return run.instance
  }
  return place
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : valueText(value)
}
