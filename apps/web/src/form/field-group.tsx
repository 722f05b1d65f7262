import type { ReactElement, ReactNode } from 'react'
import { RequiredMark } from '../ui/required-mark.tsx'
import type { ValueFieldProps } from './value-field-props.ts'

/** Groups the fields of one value, with the description of its schema and the problem of the whole value. */
export function FieldGroup({
  label,
  schema: { description },
  isRequired,
  problem,
  className,
  children,
}: Pick<ValueFieldProps, 'label' | 'schema' | 'isRequired'> & {
  readonly problem: string | undefined
  readonly className: string
  readonly children: ReactNode
}): ReactElement {
  return (
    <fieldset className={`flex min-w-0 flex-col ${className}`}>
      <legend className="flex items-baseline gap-1.5 pb-1 text-small font-medium">
        <code className="font-mono">{label}</code>
        <RequiredMark isRequired={isRequired} />
      </legend>
      {typeof description === 'string' ? <p className="text-tiny text-muted">{description}</p> : null}
      {children}
      {problem === undefined ? null : <p className="text-tiny text-bad">{problem}</p>}
    </fieldset>
  )
}
