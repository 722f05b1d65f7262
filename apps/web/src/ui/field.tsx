import { useId, type ReactElement, type ReactNode } from 'react'
import { RequiredMark } from './required-mark.tsx'

/** Props that connect a control to its label, hint and problem. */
export interface FieldProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

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
