import type { ReactElement, ReactNode } from 'react'
import { ServerNote } from '../link/server-note.tsx'
import { useServerLink } from '../link/use-server-link.ts'
import type { PageRoute } from '../route/route.ts'
import { Navigation } from './navigation.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { Wordmark } from './wordmark.tsx'

/** Shows the frame around every page: the navigation and the theme switch. */
export function Shell({
  route,
  approvals,
  children,
}: {
  readonly route: PageRoute
  readonly approvals: number
  readonly children: ReactNode
}): ReactElement {
  const { isLost } = useServerLink()
  return (
    <div
      data-lost={isLost}
      className="grid h-full grid-rows-[minmax(0,1fr)_auto] md:grid-cols-[12.5rem_minmax(0,1fr)] md:grid-rows-1"
    >
      <header className="flex items-center gap-2 border-line bg-panel px-2 py-1.5 max-md:order-last max-md:border-t md:flex-col md:items-stretch md:gap-4 md:border-r md:px-3 md:py-3.5">
        <a
          href="#main"
          onClick={(event) => {
            event.preventDefault()
            document.querySelector<HTMLElement>('main')?.focus()
          }}
          className="sr-only z-10 rounded-md bg-accent px-3 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        <div className="hidden px-1 md:block">
          <Wordmark />
        </div>
        <Navigation route={route} approvals={approvals} />
        <div className="md:mt-auto">
          <ThemeSwitch />
        </div>
      </header>
      <div className="flex min-h-0 min-w-0 flex-col">
        <ServerNote />
        <main id="main" tabIndex={-1} className="min-h-0 min-w-0 grow overflow-auto outline-none">
          {children}
        </main>
      </div>
    </div>
  )
}
