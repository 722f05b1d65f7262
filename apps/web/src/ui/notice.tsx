import { Fragment, type ReactElement, type ReactNode } from 'react'
import type { RequestFailure } from '../api/client.ts'
import { classNames } from './class-names.ts'

const TONES = {
  plain: 'border-line bg-raised text-muted',
  warn: 'border-warn/30 bg-warn-wash text-warn',
  bad: 'border-bad/30 bg-bad-wash text-bad',
} as const

/** Codes of runs that were stopped or interrupted. These are not faults, and need no fix. */
const STOPPED: ReadonlySet<string> = new Set(['run_cancelled', 'run_interrupted'])

/** Shows a short message. */
export function Notice({
  tone = 'plain',
  isAnnounced = true,
  children,
  className,
}: {
  readonly tone?: keyof typeof TONES
  /** False if an error is announced in another way, or is not new. */
  readonly isAnnounced?: boolean
  readonly children: ReactNode
  readonly className?: string
}): ReactElement {
  return (
    <div
      role={tone === 'bad' && isAnnounced ? 'alert' : undefined}
      className={classNames('rounded-md border px-3 py-2 text-small break-words', TONES[tone], className)}
    >
      {children}
    </div>
  )
}

/** Shows a message, with the text between backticks as code. */
export function TickedText({ text }: { readonly text: string }): ReactElement {
  const pieces = text.split('`')
  // An unpaired backtick is a plain character.
  if (pieces.length % 2 === 0) return <>{text}</>
  return (
    <>
      {pieces.map((piece, index) => (
        <Fragment key={index}>
          {index % 2 === 0 ? piece : <code className="font-mono text-[0.95em]">{piece}</code>}
        </Fragment>
      ))}
    </>
  )
}

/** Shows a failure: its message, the fix, and its code. A stopped run is shown as a plain notice. */
export function FailureNotice({
  failure,
  isAnnounced = true,
  className,
}: {
  readonly failure: RequestFailure
  /** False if the failure is announced in another way, or is not new. */
  readonly isAnnounced?: boolean
  readonly className?: string
}): ReactElement {
  if (STOPPED.has(failure.code))
    return (
      <Notice {...(className === undefined ? {} : { className })}>
        <TickedText text={failure.message} />
      </Notice>
    )
  return (
    <Notice tone="bad" isAnnounced={isAnnounced} {...(className === undefined ? {} : { className })}>
      <p className="font-medium whitespace-pre-wrap">
        <TickedText text={failure.message} />
      </p>
      {failure.remediation === undefined ? null : (
        <p className="mt-1 text-ink">
          <TickedText text={failure.remediation} />
        </p>
      )}
      <p className="mt-1 font-mono text-tiny">{failure.code}</p>
    </Notice>
  )
}

/** Shows a placeholder for missing content, with a hint and an action. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  /** True if nothing else is on the page, so that the title is the page title. */
  readonly isPage?: boolean
}): ReactElement {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-16 text-center">
      {icon === undefined ? null : (
        <div
          aria-hidden="true"
          className="mb-2 grid size-10 place-items-center rounded-xl bg-raised text-muted"
        >
          {icon}
        </div>
      )}
      <Heading className="text-base font-semibold">{title}</Heading>
      <div className="text-small text-balance text-muted">{children}</div>
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  )
}
