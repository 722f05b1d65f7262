import type { AlignedRow, AlignedSide } from '@troupe/timeline'
import { useMemo, type ReactElement } from 'react'
import { callState, runState } from '../reducers/run-view-state.ts'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { comparedTexts, sideName, stateText } from './comparison-view.ts'
import { DiffView } from './diff-view.tsx'
import { MeasureList } from './measure-list.tsx'

/** Shows both sides of a row with their differences. */
export function RowDetails({ row }: { readonly row: AlignedRow }): ReactElement {
  const { left, right } = row
  const texts = useMemo(() => comparedTexts(row), [row])
  const shown = left ?? right
  return (
    <section
      aria-label="Details"
      className="flex h-[46%] shrink-0 flex-col gap-4 overflow-auto border-t border-line bg-panel px-4 py-3 sm:px-6"
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 truncate text-small font-semibold">
          {shown === undefined ? '' : sideName(shown)}
        </h2>
        <p className="text-small text-muted">{stateText(row)}</p>
        <MeasureList row={row} />
      </div>
      {row.differences.includes('outcome') || row.differences.includes('model') ? (
        <div className="grid gap-2 text-small sm:grid-cols-2">
          <SideFacts side={left} />
          <SideFacts side={right} />
        </div>
      ) : null}
      {texts.map(({ part, left: before, right: after }) => (
        <Section key={part} level={3} title={before === after ? `${part} · equal` : part}>
          <DiffView left={before} right={after} isCode={part === 'Arguments' || part === 'Result'} />
        </Section>
      ))}
    </section>
  )
}

function SideFacts({ side }: { readonly side: AlignedSide | undefined }): ReactElement {
  const { call, run } = side ?? {}
  const state =
    call !== undefined
      ? callState(call, { approvals: [] }, {})
      : run === undefined
        ? undefined
        : runState(run, {})
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-3">
      {state === undefined ? null : <StateBadge state={state} />}
      <span className="truncate font-mono text-tiny text-muted">{run?.model}</span>
    </p>
  )
}
