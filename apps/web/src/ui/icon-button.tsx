import type { ButtonHTMLAttributes, ReactElement } from 'react'
import { classNames } from './class-names.ts'

/** Shows a button with only an icon. Its label is read out, and shown on hover. */
export function IconButton({
  label,
  className,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> & { readonly label: string }): ReactElement {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classNames(
        'inline-grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink disabled:cursor-not-allowed disabled:opacity-40',
        className,
      )}
    />
  )
}
