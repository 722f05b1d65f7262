import { createRunPaths, firstChange, type RunChange } from '@troupe/cassette'
import type { Json } from '@troupe/schema'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { valueText } from '../ui/format.ts'

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
export function firstChangeOf(former: RunViewState, latter: RunViewState): ShownChange | undefined {
  const change = firstChange(former.events, latter.events)
  if (change === undefined) return undefined
  const where = describeEvent(change.entry, [latter, former])
  if (change.kind !== 'other') {
    const text = 'it happened'
    return change.kind === 'new'
      ? { where, before: undefined, after: text }
      : { where, before: text, after: undefined }
  }
  const { path, ...values } = change.difference
  const [before, after] = cutAroundDifference(textOf(values.before), textOf(values.after))
  return { where: path === '' ? where : `${where}, ${path}`, before, after }
}

const AROUND = 60
const SHOWN = 320

/** Cuts two texts to the part around their first difference. */
function cutAroundDifference<Text extends string | undefined>(
  before: Text,
  after: Text,
): readonly [Text, Text] {
  if (before === undefined || after === undefined) return [before, after]
  let difference = 0
  while (difference < before.length && before[difference] === after[difference]) difference += 1
  const start = Math.max(0, difference - AROUND)
  const cut = (text: string): string =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + SHOWN)}${text.length > start + SHOWN ? '…' : ''}`
  return [cut(before) as Text, cut(after) as Text]
}

/** Describes an event and its call or turn. */
function describeEvent(
  { run, event, call, turn }: RunChange['entry'],
  viewStates: readonly RunViewState[],
): string {
  const isWhole = event === 'run-start' || event === 'run-end'
  const inCall = call === undefined || isWhole ? '' : ` of call ${call}`
  const inTurn = call !== undefined || turn === undefined ? '' : ` of turn ${valueText(turn)}`
  return `${instanceAt(run, viewStates)}: ${event}${inCall}${inTurn}`
}

/** Returns the instance name of the run at a position in the tree. */
function instanceAt(position: string, viewStates: readonly RunViewState[]): string {
  for (const { events, timeline } of viewStates) {
    const positions = createRunPaths(timeline.rootRunId ?? '')
    for (const event of events) positions.addEvent(event)
    const run = timeline.runs.find(({ runId }) => positions.pathOf(runId) === position)
    if (run !== undefined) return run.instance
  }
  return position
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : valueText(value)
}
