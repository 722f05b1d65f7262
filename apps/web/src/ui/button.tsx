import type { ButtonHTMLAttributes, ReactElement } from 'react'
import { classNames } from './class-names.ts'

const TONES = {
  solid: 'bg-accent text-accent-ink hover:brightness-110',
  outline: 'border border-line bg-panel text-ink hover:border-strong-line',
  quiet: 'text-muted hover:bg-raised hover:text-ink',
  danger: 'border border-line bg-panel text-bad hover:border-bad',
} as const

/** How a button looks. */
export type ButtonTone = keyof typeof TONES

/** The classes of a button, for what must be a link. */
export function buttonClasses(tone: ButtonTone = 'outline', className?: string): string {
  return classNames(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-small font-medium whitespace-nowrap',
    'transition-[background-color,border-color,filter] disabled:cursor-not-allowed disabled:opacity-50',
    TONES[tone],
    className,
  )
}

/** A button. It submits nothing unless told to. */
export function Button({
  tone = 'outline',
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly tone?: ButtonTone }): ReactElement {
  return <button type="button" {...rest} className={buttonClasses(tone, className)} />
}
