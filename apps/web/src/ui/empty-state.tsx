import type { ReactElement, ReactNode } from 'react'

/** What stands where nothing is yet: what would be here, and what to do for it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}): ReactElement {
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
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="text-small text-balance text-muted">{children}</div>
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  )
}
