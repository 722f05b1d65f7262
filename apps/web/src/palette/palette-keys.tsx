import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react'
import { onOpenPalette } from './open-palette.ts'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }))

/** Opens the command palette with Ctrl or ⌘ and K, and the help with `?`. */
export function PaletteKeys(): ReactElement | null {
  const [shown, setShown] = useState<'palette' | 'help'>()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // The timeline shows its own keys while it has the focus.
      if (event.defaultPrevented) return
      const key = keyAction(event, document.activeElement)
      if (key === undefined) return
      event.preventDefault()
      setShown(key)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  useEffect(() => onOpenPalette(() => setShown('palette')), [])
  const close = (): void => setShown(undefined)
  if (shown === undefined) return null
  return (
    <Suspense>
      {shown === 'palette' ? <CommandPalette onClose={close} /> : <KeyHelp onClose={close} />}
    </Suspense>
  )
}

/** Returns what a key opens. Letters and signs without Ctrl or ⌘ belong to a text field that has the focus. */
function keyAction(
  { key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent,
  focused: Element | null,
): 'palette' | 'help' | undefined {
  if (isComposing || altKey) return undefined
  if (ctrlKey || metaKey) return key.toLowerCase() === 'k' ? 'palette' : undefined
  return key === '?' && focused?.matches('input, textarea, select, [contenteditable="true"]') !== true
    ? 'help'
    : undefined
}
