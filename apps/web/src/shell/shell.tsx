import { Monitor, Moon, Sun } from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import { useServerLink } from '../api/server-link.ts'
import type { PageRoute } from '../route/route.ts'
import { IconButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Navigation } from './navigation.tsx'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const
const THEME_KEY = 'troupe.theme'

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

/** Shows on every page that the server does not respond. */
function ServerNote(): ReactElement {
  const { isLost } = useServerLink()
  // Always rendered, so that a screen reader announces its content.
  return (
    <div role="alert">
      {isLost ? (
        <Notice tone="warn" className="mx-4 mt-3 sm:mx-6">
          The server does not respond. The page may be out of date; it keeps trying and reconnects
          automatically.
        </Notice>
      ) : null}
    </div>
  )
}

/** Shows the product name with its logo: three bars of a timeline. */
export function Wordmark(): ReactElement {
  return (
    <a href="#/" className="flex items-center gap-2 rounded-md text-base font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 text-accent">
        <rect width="32" height="32" rx="7" fill="currentColor" />
        <path
          d="M7 9.5h11M11 16h14M9 22.5h8"
          stroke="var(--accent-ink)"
          strokeWidth="3.2"
          strokeLinecap="round"
        />
      </svg>
      Troupe
    </a>
  )
}

/** Switches between the theme of the system, light and dark. Stored in this browser. */
function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useState<Theme>(readTheme)
  const Icon = THEME_ICONS[theme]
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <IconButton
      label={`Theme: ${theme}. Switch to ${next}`}
      onClick={() => {
        applyTheme(next)
        setTheme(next)
      }}
    >
      <Icon className="size-4" />
    </IconButton>
  )
}

function readTheme(): Theme {
  const stored = localStorage.getItem(THEME_KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(THEME_KEY)
    delete document.documentElement.dataset['theme']
    return
  }
  localStorage.setItem(THEME_KEY, theme)
  document.documentElement.dataset['theme'] = theme
}
