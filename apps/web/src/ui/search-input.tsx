import { Search } from 'lucide-react'
import type { ReactElement } from 'react'
import { classNames } from './class-names.ts'
import { TextInput } from './field.tsx'

/** Shows a field for a text to search for. */
export function SearchInput({
  label,
  placeholder,
  className,
  value,
  onChange,
}: {
  /** Name for screen readers. */
  readonly label: string
  readonly placeholder: string
  /** Classes of the frame around the field. */
  readonly className?: string
  readonly value: string
  readonly onChange: (text: string) => void
}): ReactElement {
  return (
    <div className={classNames('relative', className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-muted"
      />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="pl-8"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}
