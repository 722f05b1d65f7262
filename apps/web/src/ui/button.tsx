import { Check, Copy } from 'lucide-react'
import { type ButtonHTMLAttributes, type ReactElement, useEffect, useState } from 'react'
import { announce, announceError } from './announcer.tsx'
import { classNames } from './class-names.ts'
import { copyText } from './copy-text.ts'

const TONES = {
  solid: 'bg-accent text-accent-ink hover:brightness-110',
  outline: 'border border-line bg-panel text-ink hover:border-strong-line',
  quiet: 'text-muted hover:bg-raised hover:text-ink',
  danger: 'border border-line bg-panel text-bad hover:border-bad',
} as const

const SIZES = { normal: 'h-8 px-3', narrow: 'h-8 px-2', small: 'h-6 px-1.5' } as const

/** The size of a button. */
type ButtonSize = keyof typeof SIZES

/** The style of a button. */
type ButtonTone = keyof typeof TONES

/** Returns the classes of a button, for links that look like one. */
export function buttonClasses(
  tone: ButtonTone = 'outline',
  size: ButtonSize = 'normal',
  className?: string,
): string {
  return classNames(
    'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md text-small font-medium whitespace-nowrap',
    'transition-[background-color,border-color,filter] disabled:cursor-not-allowed disabled:opacity-50',
    SIZES[size],
    TONES[tone],
    className,
  )
}

/** Shows a button. It does not submit a form unless its type is `submit`. */
export function Button({
  tone = 'outline',
  size = 'normal',
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly tone?: ButtonTone
  readonly size?: ButtonSize
}): ReactElement {
  return <button type="button" {...rest} className={buttonClasses(tone, size, className)} />
}

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

const SHOWN_MS = 1500

/** Copies a text to the clipboard, and shows and announces that it did. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}): ReactElement {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    const succeeded = await copyText(text)
    setCopied(succeeded)
    if (succeeded) announce('Copied')
    else announceError('The browser does not allow copying.')
  }
  return (
    <IconButton label={isCopied ? 'Copied' : label} onClick={() => void copy()}>
      {isCopied ? (
        <Check aria-hidden="true" className="size-4 text-good" />
      ) : (
        <Copy aria-hidden="true" className="size-4" />
      )}
    </IconButton>
  )
}
