import {
  Monitor,
  Moon,
  Sun,
  Bot,
  Command,
  FlaskConical,
  Hammer,
  ListTree,
  MessageSquare,
  ShieldQuestion,
  type LucideIcon,
} from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import { useServerLink } from '../api/server-link.ts'
import { openPalette } from '../palette/open-palette.ts'
import { usePageActions } from '../palette/page-actions.ts'
import { type PageRoute, hrefOf } from '../route/route.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Notice } from '../ui/notice.tsx'

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
      className="isolate grid h-full grid-rows-[minmax(0,1fr)_auto] md:grid-cols-[12.5rem_minmax(0,1fr)] md:grid-rows-1"
    >
      <header className="flex items-center gap-2 border-line bg-panel px-2 py-1.5 max-md:order-last max-md:gap-0.5 max-md:px-1 max-md:border-t md:flex-col md:items-stretch md:gap-4 md:border-r md:px-3 md:py-3.5">
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
        <div className="flex md:mt-auto">
          <IconButton
            label="Command palette"
            className="hidden pointer-coarse:inline-grid pointer-coarse:size-[44px]"
            onClick={openPalette}
          >
            <Command className="size-4" />
          </IconButton>
          {/* A phone has no space for both; the palette switches the theme too. */}
          <div className="max-md:pointer-coarse:hidden">
            <ThemeSwitch />
          </div>
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
  const choose = (chosen: Theme): void => {
    applyTheme(chosen)
    setTheme(chosen)
  }
  usePageActions(
    THEMES.filter((other) => other !== theme).map((other) => ({
      id: `theme ${other}`,
      label: `Switch to the ${other} theme`,
      run: () => choose(other),
    })),
  )
  return (
    <IconButton label={`Theme: ${theme}. Switch to ${next}`} onClick={() => choose(next)}>
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

interface NavigationEntry {
  readonly label: string
  readonly icon: LucideIcon
  readonly route: PageRoute
  /** The pages that belong to this entry. */
  readonly pages: readonly PageRoute['page'][]
}

const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Chat', icon: MessageSquare, route: { page: 'chat' }, pages: ['chat'] },
  { label: 'Runs', icon: ListTree, route: { page: 'runs' }, pages: ['runs', 'run', 'compare'] },
  { label: 'Approvals', icon: ShieldQuestion, route: { page: 'approvals' }, pages: ['approvals'] },
  { label: 'Evals', icon: FlaskConical, route: { page: 'evals' }, pages: ['evals', 'eval', 'eval-run'] },
  { label: 'Agents', icon: Bot, route: { page: 'agents' }, pages: ['agents', 'agent'] },
  { label: 'Tools', icon: Hammer, route: { page: 'tools' }, pages: ['tools', 'tool', 'trial'] },
]

/** Shows the navigation: beside the page on a wide screen, below it on a narrow one. */
function Navigation({
  route,
  approvals,
}: {
  readonly route: PageRoute
  /** Number of open approvals. */
  readonly approvals: number
}): ReactElement {
  return (
    <nav aria-label="Main" className="flex gap-0.5 max-md:grow max-md:justify-around md:flex-col">
      {NAVIGATION.map(({ label, icon: Icon, route: to, pages }) => {
        const isHere = pages.includes(route.page)
        return (
          <a
            key={label}
            href={hrefOf(to)}
            aria-current={isHere ? 'page' : undefined}
            className={classNames(
              'relative flex items-center gap-2.5 rounded-md text-small font-medium',
              'max-md:min-w-12 max-md:flex-col max-md:gap-0.5 max-md:py-1 max-md:text-tiny md:h-8 md:px-2.5',
              isHere ? 'bg-accent-wash text-accent' : 'text-muted hover:bg-raised hover:text-ink',
            )}
          >
            <Icon aria-hidden="true" className="size-4" />
            {label}
            {label === 'Approvals' && approvals > 0 ? (
              <span className="rounded-full bg-warn px-1.5 text-tiny font-semibold text-page max-md:absolute max-md:top-0.5 max-md:right-1.5 md:ml-auto">
                {approvals}
                <span className="sr-only"> open</span>
              </span>
            ) : null}
          </a>
        )
      })}
    </nav>
  )
}
