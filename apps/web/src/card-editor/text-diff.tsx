import type { ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'
import { diffRows, lineChanges, wordChanges, type TextChange } from './text-changes.ts'

const ROWS = {
  same: ['', 'text-muted', ''],
  added: ['+', 'bg-good-wash', 'Added: '],
  removed: ['−', 'bg-bad-wash', 'Removed: '],
} as const

/** Shows the lines in which two texts differ. */
export function LineDiff({
  before,
  after,
  label,
}: {
  readonly before: string
  readonly after: string
  readonly label: string
}): ReactElement {
  const changes = lineChanges(before, after)
  if (changes === undefined)
    return <p className="text-small text-muted">The texts differ too much to show their differences.</p>
  if (changes.every(({ kind }) => kind === 'same'))
    return <p className="text-small text-muted">The texts are equal.</p>
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="overflow-auto rounded-md border border-line bg-panel py-1 font-mono text-tiny leading-relaxed"
    >
      {diffRows(changes).map((row, index) => {
        if (row.kind === 'hidden')
          return (
            <p key={index} className="bg-raised px-3 py-0.5 text-muted">
              {row.count} equal lines
            </p>
          )
        const [mark, tone, word] = ROWS[row.kind]
        return (
          <div key={index} className={classNames('flex gap-2 px-2', tone)}>
            <span aria-hidden="true" className="w-8 shrink-0 text-right text-muted tabular">
              {row.after ?? row.before}
            </span>
            <span aria-hidden="true" className="w-3 shrink-0">
              {mark}
            </span>
            <span className="min-w-0 break-words whitespace-pre-wrap" dir="auto">
              {word === '' ? null : <span className="sr-only">{word}</span>}
              {row.text}
            </span>
          </div>
        )
      })}
    </div>
  )
}

/** Shows a text with the words marked in which it differs from another: added ones, or those that are missing. */
export function WordDiff({
  before,
  after,
  side,
}: {
  readonly before: string
  readonly after: string
  readonly side: 'before' | 'after'
}): ReactElement {
  const own = side === 'before' ? 'removed' : 'added'
  const changes: readonly TextChange[] = wordChanges(before, after) ?? [
    { kind: 'same', text: side === 'before' ? before : after },
  ]
  const Mark = side === 'before' ? 'del' : 'ins'
  return (
    <p className="text-small break-words whitespace-pre-wrap" dir="auto">
      {changes.map(({ kind, text }, index) => {
        if (kind === 'same') return <span key={index}>{text}</span>
        if (kind !== own) return null
        return (
          <Mark
            key={index}
            className={classNames(
              'rounded-sm no-underline',
              side === 'before' ? 'bg-bad-wash text-bad' : 'bg-good-wash text-good',
            )}
          >
            {text}
          </Mark>
        )
      })}
    </p>
  )
}
