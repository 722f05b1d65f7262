import type { AlignedRow, AlignedSide } from '@troupe/timeline'
import { X } from 'lucide-react'
import { useMemo, type ReactElement } from 'react'
import { callState, runState } from '../reducers/run-view-state.ts'
import { IconButton } from '../ui/button.tsx'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { comparedTexts, sideName, stateText } from './comparison-view.ts'
import { DiffView } from './diff-view.tsx'
import { MeasureList } from './measure-list.tsx'

/** Shows both sides of a row with their differences. */
export function RowDetails({
  row,
  onClose,
}: {
  readonly row: AlignedRow
  readonly onClose: () => void
}): ReactElement {
  const { left, right } = row
  const texts = useMemo(() => comparedTexts(row), [row])
  const shown = left ?? right
  return (
    <section
      aria-label="Details"
      className="flex h-[46%] shrink-0 flex-col gap-4 overflow-auto border-t border-line bg-panel px-4 py-3 sm:px-6"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 truncate text-small font-semibold">
          {shown === undefined ? '' : sideName(shown)}
        </h2>
        <p className="text-small text-muted">{stateText(row)}</p>
        {row.depth === 0 ? null : <MeasureList row={row} />}
        <IconButton label="Close details" className="-my-1 ml-auto max-sm:size-11" onClick={onClose}>
          <X aria-hidden="true" className="size-4" />
        </IconButton>
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
