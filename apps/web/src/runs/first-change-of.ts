import { createPlaces, firstChange, type Change } from '@troupe/cassette'
import type { Json } from '@troupe/schema'
import { valueText } from '../format/value-text.ts'
import type { Picture } from '../folds/picture.ts'

/** Where a run parts from the one that it was forked from, for people. */
export interface ShownChange {
  /** Such as `Reporter[1]: run-end, output.text`. */
  readonly where: string
  /** Undefined: it was not there. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The first difference of two runs that are over, whatever they did side by side; undefined: they did the same. */
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

/** Long texts from shortly before the place where they part. */
function cutToParting<Text extends string | undefined>(before: Text, after: Text): readonly [Text, Text] {
  if (before === undefined || after === undefined) return [before, after]
  let parting = 0
  while (parting < before.length && before[parting] === after[parting]) parting += 1
  const start = Math.max(0, parting - AROUND)
  const cut = (text: string): string =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + SHOWN)}${text.length > start + SHOWN ? '…' : ''}`
  return [cut(before) as Text, cut(after) as Text]
}

/** The event and where it happened: in a call, in a turn, or in the run as a whole. */
function placeOf({ run, event, call, turn }: Change['entry'], pictures: readonly Picture[]): string {
  const isWhole = event === 'run-start' || event === 'run-end'
  const inCall = call === undefined || isWhole ? '' : ` of call ${call}`
  const inTurn = call !== undefined || turn === undefined ? '' : ` of turn ${valueText(turn)}`
  return `${instanceAt(run, pictures)}: ${event}${inCall}${inTurn}`
}

/** The run at a place of the tree, by the name that the timeline has for it. */
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
