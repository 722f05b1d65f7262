import { useEffect, useRef, type RefObject } from 'react'

const NEAR = 80

/**
 * Returns the ref of a scroll container that stays at its end while it grows, unless the person has scrolled
 * up.
 */
export function useStickToEnd(): RefObject<HTMLDivElement | null> {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = container.current
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return undefined
    let isAtEnd = true
    const note = (): void => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    }
    const growth = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight
    })
    element.addEventListener('scroll', note, { passive: true })
    growth.observe(content)
    return () => {
      element.removeEventListener('scroll', note)
      growth.disconnect()
    }
  }, [])
  return container
}
