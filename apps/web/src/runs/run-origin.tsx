import { createRunPaths, firstChange, type RunChange } from '@troupe/cassette'
import type { Run } from '@troupe/client'
import type { Json } from '@troupe/schema'
import type { ReactElement, ReactNode } from 'react'
import { useRunFeed } from '../feed/use-run.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { valueText } from '../ui/format.ts'

/** Shows the run that this one was forked from or repeats and, for a fork, the first difference. */
export function RunOrigin({
  details,
  viewState,
  isOver,
}: {
  /** `undefined` until the server has responded. */
  readonly details: Run | undefined
  readonly viewState: RunViewState
  readonly isOver: boolean
}): ReactElement | null {
  const { forkOf, retryOf } = details ?? {}
  if (forkOf !== undefined)
    return (
      <OriginLine isTall={isOver}>
        <p>
          Forked from <RunLink runId={forkOf.runId} /> at {forkOf.at}.{' '}
          <CompareLink left={forkOf.runId} details={details} />
        </p>
        {isOver ? <FirstDifference before={forkOf.runId} after={viewState} /> : null}
      </OriginLine>
    )
  if (retryOf === undefined) return null
  return (
    <OriginLine>
      <p>
        Runs the input of <RunLink runId={retryOf} /> again. <CompareLink left={retryOf} details={details} />
      </p>
    </OriginLine>
  )
}

function OriginLine({
  isTall = false,
  children,
}: {
  /** True to take the space of a difference, also before it is found, so that the timeline stays in its place. */
  readonly isTall?: boolean
  readonly children: ReactNode
}): ReactElement {
  return (
    <section
      aria-label="Origin"
      className={classNames(
        'flex shrink-0 flex-col gap-2 overflow-auto border-b border-line px-4 py-2 text-small sm:px-6',
        isTall ? 'h-52 sm:h-32' : 'max-h-56',
      )}
    >
      {children}
    </section>
  )
}

function RunLink({ runId }: { readonly runId: string }): ReactElement {
  return (
    <a
      href={hrefOf({ page: 'run', runId })}
      className="font-mono text-tiny text-accent underline underline-offset-2"
    >
      {runId.slice(0, 12)}
    </a>
  )
}

function CompareLink({
  left,
  details,
}: {
  readonly left: string
  readonly details: Run | undefined
}): ReactElement | null {
  if (details === undefined) return null
  return (
    <a
      href={hrefOf({ page: 'compare', left, right: details.runId })}
      className="text-accent underline underline-offset-2"
    >
      Compare both runs
    </a>
  )
}

function FirstDifference({
  before,
  after,
}: {
  readonly before: string
  readonly after: RunViewState
}): ReactElement | null {
  const { viewState, link } = useRunFeed(before)
  if (link === 'unknown') return <p className="text-muted">The original is no longer stored.</p>
  if (link !== 'over') return <p className="text-muted">Looking for the first difference …</p>
  const change = firstChangeOf(viewState, after)
  if (change === undefined) return <p className="text-muted">The runs are the same so far.</p>
  return (
    <>
      <p>
        First difference: <span className="font-mono text-tiny">{change.where}</span>
      </p>
      <dl className="grid gap-2 sm:grid-cols-2">
        <Side word="Before" text={change.before} />
        <Side word="Now" text={change.after} />
      </dl>
    </>
  )
}

function Side({ word, text }: { readonly word: string; readonly text: string | undefined }): ReactElement {
  return (
    <div className="min-w-0">
      <dt className="text-tiny text-muted">{word}</dt>
      <dd className="line-clamp-5 rounded-md border border-line bg-panel px-2.5 py-1.5 break-words whitespace-pre-wrap">
        {text ?? <span className="text-muted">nothing</span>}
      </dd>
    </div>
  )
}

/** The first difference between a fork and its original, as text. */
interface FirstChange {
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
export function firstChangeOf(former: RunViewState, latter: RunViewState): FirstChange | undefined {
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

const CONTEXT = 60
const MAX_TEXT = 320

/** Cuts two texts to the part around their first difference. */
function cutAroundDifference<Text extends string | undefined>(
  before: Text,
  after: Text,
): readonly [Text, Text] {
  if (before === undefined || after === undefined) return [before, after]
  let difference = 0
  while (difference < before.length && before[difference] === after[difference]) difference += 1
  const start = Math.max(0, difference - CONTEXT)
  const cut = (text: string): string =>
    `${start > 0 ? '…' : ''}${text.slice(start, start + MAX_TEXT)}${text.length > start + MAX_TEXT ? '…' : ''}`
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
