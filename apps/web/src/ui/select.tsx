import { ChevronsUpDown } from 'lucide-react'
import type { ReactElement, SelectHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

/** Shows the select element of the browser, which works best on every device. */
export function Select({
  className,
  isQuiet = false,
  ...rest
}: SelectHTMLAttributes<HTMLSelectElement> & {
  /** True for a select without a border, for use among quiet buttons. */
  readonly isQuiet?: boolean
}): ReactElement {
  return (
    <span className={classNames('relative inline-flex min-w-0', className)}>
      <select
        {...rest}
        className={classNames(
          'h-8 w-full min-w-0 appearance-none truncate rounded-md pr-7 pl-2.5 text-small font-medium disabled:opacity-50',
          isQuiet
            ? 'field-sizing-content text-muted hover:bg-raised hover:text-ink'
            : 'border border-strong-line bg-panel text-ink',
        )}
      />
      <ChevronsUpDown
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2 size-3.5 -translate-y-1/2 text-muted"
      />
    </span>
  )
}
