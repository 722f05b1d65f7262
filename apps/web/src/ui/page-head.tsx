import { useEffect, type ReactElement, type ReactNode } from 'react'

let page = 'Troupe'
let open = 0

/** Shows the header of a page: its title and actions. Sets the title of the window. */
export function PageHead({
  title,
  trail,
  children,
}: {
  readonly title: ReactNode
  /** The parent page, shown before the title. */
  readonly trail?: ReactNode
  /** Buttons. */
  readonly children?: ReactNode
}): ReactElement {
  useEffect(() => {
    if (typeof title === 'string') setPageTitle(title)
  }, [title])
  return (
    <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2.5 sm:px-6">
      <div className="flex min-w-0 grow items-baseline gap-2">
        {trail === undefined ? null : <span className="truncate text-small text-muted">{trail}</span>}
        <h1 className="truncate text-base font-semibold tracking-tight">{title}</h1>
      </div>
      {children}
    </header>
  )
}

/** Sets the title of the window to the title of the page. */
function setPageTitle(title: string): void {
  page = `${title} – Troupe`
  updateTitle()
}

/** Puts the number of open approvals before the title of the window, to be visible in the background. */
export function setOpenCount(count: number): void {
  open = count
  updateTitle()
}

function updateTitle(): void {
  document.title = open === 0 ? page : `(${open}) ${page}`
}
