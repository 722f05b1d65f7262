import type { RunView } from '@troupe/headends'
import type { ReactElement, ReactNode } from 'react'
import { useRunFeed } from '../feed/use-run.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { hrefOf } from '../route/route.ts'
import { firstChangeOf } from './first-change-of.ts'

/** Shows the run that this one was forked from or repeats and, for a fork, the first difference. */
export function RunOrigin({
  details,
  viewState,
  isOver,
}: {
  /** `undefined` until the server has responded. */
  readonly details: RunView | undefined
  readonly viewState: RunViewState
  readonly isOver: boolean
}): ReactElement | null {
  const { forkOf, retryOf } = details ?? {}
  if (forkOf !== undefined)
    return (
      <OriginLine>
        <p>
          Forked from <RunLink runId={forkOf.runId} /> at {forkOf.at}.
        </p>
        {isOver ? <FirstDifference before={forkOf.runId} after={viewState} /> : null}
      </OriginLine>
    )
  if (retryOf === undefined) return null
  return (
    <OriginLine>
      <p>
        Does again what <RunLink runId={retryOf} /> was told.
      </p>
    </OriginLine>
  )
}

function OriginLine({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <section
      aria-label="Origin"
      className="flex max-h-56 shrink-0 flex-col gap-2 overflow-auto border-b border-line px-4 py-2 text-small sm:px-6"
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

function FirstDifference({
  before,
  after,
}: {
  readonly before: string
  readonly after: RunViewState
}): ReactElement | null {
  const { viewState, link } = useRunFeed(before)
  if (link !== 'over') return null
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
