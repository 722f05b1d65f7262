import type { ReactElement } from 'react'

/** Stands behind the label of a field. */
export function RequiredMark({ isRequired }: { readonly isRequired: boolean }): ReactElement {
  return (
    <span className={isRequired ? 'text-tiny text-bad' : 'text-tiny text-muted'}>
      {isRequired ? 'required' : 'optional'}
    </span>
  )
}
