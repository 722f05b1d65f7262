import type { Json, JsonObject } from '@troupe/schema'
import type { ReactElement, ReactNode } from 'react'
import { RequiredMark } from '../ui/field.tsx'
import { valueText } from '../ui/format.ts'

/** Props of a field for a value. */
export interface ValueFieldProps {
  readonly label: string
  readonly schema: JsonObject
  /** `undefined` if the field is empty. */
  readonly value: Json | undefined
  readonly isRequired: boolean
  readonly onChange: (value: Json | undefined) => void
  /**
   * Returns the message of a problem by its path; `undefined` if there is none, or if it should not be shown
   * yet.
   */
  readonly problemAt: (path: string) => string | undefined
  readonly path: string
}

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

/** Returns the text of an empty field: its default, if it has one. */
export function defaultWord(
  { default: initial }: JsonObject,
  title: (value: Json) => string = valueText,
): string {
  return initial === undefined ? '' : `default: ${title(initial)}`
}
