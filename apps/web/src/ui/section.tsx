import { type ReactElement, type ReactNode, Fragment } from 'react'

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

/** Shows names and values in two columns. Undefined values are left out. */
export function Facts({
  facts,
}: {
  readonly facts: Readonly<Record<string, ReactNode | undefined>>
}): ReactElement {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1 text-small">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words tabular">{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}
