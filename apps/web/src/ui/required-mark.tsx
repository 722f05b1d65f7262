import type { ReactElement } from 'react'

/** Marks a field as required or optional, after its label. */
export function RequiredMark({ isRequired }: { readonly isRequired: boolean }): ReactElement {
  return (
    <span className={isRequired ? 'text-tiny text-bad' : 'text-tiny text-muted'}>
      {isRequired ? 'required' : 'optional'}
    </span>
  )
}
