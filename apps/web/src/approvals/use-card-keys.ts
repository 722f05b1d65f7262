import { useEffect, useRef, type RefObject } from 'react'

/**
 * Calls a function when its key is pressed while the focus is in the card, but not in a field. Keys with a
 * modifier, and repeated ones, do nothing.
 */
export function useCardKeys(
  card: RefObject<HTMLElement | null>,
  actions: Readonly<Partial<Record<string, () => void>>>,
): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const element = card.current
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target, key } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return
      if (target instanceof Element && target.closest('input, textarea, select, dialog') !== null) return
      const action = Object.hasOwn(latest.current, key) ? latest.current[key] : undefined
      if (action === undefined) return
      // The key must not be typed into the field that the action focuses.
      event.preventDefault()
      action()
    }
    element?.addEventListener('keydown', onKeyDown)
    return () => element?.removeEventListener('keydown', onKeyDown)
  }, [card])
}
