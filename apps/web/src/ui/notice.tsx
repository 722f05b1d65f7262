import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

const TONES = {
  plain: 'border-line bg-raised text-muted',
  warn: 'border-warn/30 bg-warn-wash text-warn',
  bad: 'border-bad/30 bg-bad-wash text-bad',
} as const

/** Shows a short message. */
export function Notice({
  tone = 'plain',
  children,
  className,
}: {
  readonly tone?: keyof typeof TONES
  readonly children: ReactNode
  readonly className?: string
}): ReactElement {
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      className={classNames('rounded-md border px-3 py-2 text-small break-words', TONES[tone], className)}
    >
      {children}
    </div>
  )
}
