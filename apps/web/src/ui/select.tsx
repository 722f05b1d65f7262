import { ChevronsUpDown } from 'lucide-react'
import type { ReactElement, SelectHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

/** One of a few. That of the browser, as it is the best on every device. */
export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>): ReactElement {
  return (
    <span className={classNames('relative inline-flex min-w-0', className)}>
      <select
        {...rest}
        className="h-8 w-full min-w-0 appearance-none truncate rounded-md border border-strong-line bg-panel pr-7 pl-2.5 text-small font-medium text-ink disabled:opacity-50"
      />
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2 size-3.5 -translate-y-1/2 text-muted"
      />
    </span>
  )
}
