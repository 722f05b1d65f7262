import { ChevronsUpDown } from 'lucide-react'
import {
  useId,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
} from 'react'
import { classNames } from './class-names.ts'

/** Props that connect a control to its label, hint and problem. */
export interface FieldProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** The classes of all text controls. */
export const INPUT_CLASSES =
  'w-full min-w-0 rounded-md border border-strong-line bg-panel px-2.5 text-small text-ink placeholder:text-muted disabled:opacity-50 aria-invalid:border-bad'

/** Shows a labelled control with a hint and a problem. */
export function Field({
  label,
  hint,
  problem,
  isRequired,
  children,
}: {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  /** Marks the field as required or optional; no mark if `undefined`. */
  readonly isRequired?: boolean
  readonly children: (props: FieldProps) => ReactNode
}): ReactElement {
  const id = useId()
  const notes = [hint === undefined ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`]
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="flex items-baseline gap-1.5 text-small font-medium">
        {label}
        {isRequired === undefined ? null : <RequiredMark isRequired={isRequired} />}
      </label>
      {children({
        id,
        'aria-describedby': notes.filter((note) => note !== '').join(' ') || undefined,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-tiny text-muted">
          {hint}
        </p>
      )}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} className="text-tiny text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Marks a field as required or optional, after its label. */
export function RequiredMark({ isRequired }: { readonly isRequired: boolean }): ReactElement {
  return (
    <span className={isRequired ? 'text-tiny text-bad' : 'text-tiny text-muted'}>
      {isRequired ? 'required' : 'optional'}
    </span>
  )
}

/** Shows a one-line text input. */
export function TextInput({ className, ...rest }: ComponentProps<'input'>): ReactElement {
  return (
    <input type="text" autoComplete="off" {...rest} className={classNames(INPUT_CLASSES, 'h-8', className)} />
  )
}

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
