import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const KeyHelp = lazy(async () => ({ default: (await import('./key-help.tsx')).KeyHelp }))

const OPEN_EVENT = 'troupe-open-palette'

/** Opens the command palette. */
export function openPalette(): void {
  dispatchEvent(new Event(OPEN_EVENT))
}

/** Opens the command palette with Ctrl or ⌘ and K, and the help with `?`. */
export function PaletteKeys(): ReactElement | null {
  const [shown, setShown] = useState<'palette' | 'help'>()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = keyAction(event, document.activeElement)
      if (key === undefined) return
      event.preventDefault()
      setShown(key)
    }
    const onOpen = (): void => setShown('palette')
    addEventListener('keydown', onKeyDown)
    addEventListener(OPEN_EVENT, onOpen)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener(OPEN_EVENT, onOpen)
    }
  }, [])
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
