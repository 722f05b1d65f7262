import type { InputHTMLAttributes, ReactElement } from 'react'
import { classNames } from './class-names.ts'

/** The classes of all text controls. */
export const INPUT_CLASSES =
  'w-full min-w-0 rounded-md border border-strong-line bg-panel px-2.5 text-small text-ink placeholder:text-muted disabled:opacity-50 aria-invalid:border-bad'

/** Shows a one-line text input. */
export function TextInput({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return (
    <input type="text" autoComplete="off" {...rest} className={classNames(INPUT_CLASSES, 'h-8', className)} />
  )
}
