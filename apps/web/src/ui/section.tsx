import type { ReactElement, ReactNode } from 'react'

/** Shows a part of a panel under a small heading. */
export function Section({
  title,
  action,
  children,
  level = 2,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
  /** The level of the heading. */
  readonly level?: 2 | 3
}): ReactElement {
  const Heading = `h${level}` as const
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <Heading className="text-tiny font-semibold tracking-wide text-muted uppercase">{title}</Heading>
        {action}
      </div>
      {children}
    </section>
  )
}
