import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import { IconButton } from './button.tsx'

const SHOWN_MS = 1500

/** Copies a text to the clipboard, and shows that it did. */
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
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? <Check className="size-4 text-good" /> : <Copy className="size-4" />}
    </IconButton>
  )
}
