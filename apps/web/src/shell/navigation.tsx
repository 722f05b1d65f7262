import { Bot, Hammer, ListTree, MessageSquare, ShieldQuestion, type LucideIcon } from 'lucide-react'
import type { ReactElement } from 'react'
import { hrefOf, type PageRoute } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'

interface NavigationEntry {
  readonly label: string
  readonly icon: LucideIcon
  readonly route: PageRoute
  /** The pages that belong to this entry. */
  readonly pages: readonly PageRoute['page'][]
}

const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Chat', icon: MessageSquare, route: { page: 'chat' }, pages: ['chat'] },
  { label: 'Runs', icon: ListTree, route: { page: 'runs' }, pages: ['runs', 'run'] },
  { label: 'Approvals', icon: ShieldQuestion, route: { page: 'approvals' }, pages: ['approvals'] },
  { label: 'Agents', icon: Bot, route: { page: 'agents' }, pages: ['agents', 'agent'] },
  { label: 'Tools', icon: Hammer, route: { page: 'tools' }, pages: ['tools', 'tool', 'trial'] },
]

/** Shows the navigation: beside the page on a wide screen, below it on a narrow one. */
export function Navigation({
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
              'max-md:min-w-14 max-md:flex-col max-md:gap-0.5 max-md:py-1 max-md:text-tiny md:h-8 md:px-2.5',
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
