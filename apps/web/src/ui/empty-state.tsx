import type { ReactElement, ReactNode } from 'react'

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
