import { Fragment, type ReactElement, type ReactNode } from 'react'

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
