import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react'

/** Items that are mounted together. */
const CHUNK = 20
/** Distance to the view at which items are mounted, in px. */
const MARGIN = 200

/**
 * Shows a long list whose items have different heights. Items far from the view are replaced by a space of
 * their last height, or of `itemHeight` px each before they were shown.
 */
export function LazyChunks<Item>({
  items,
  itemHeight,
  render,
  as = 'div',
  className,
}: {
  readonly items: readonly Item[]
  readonly itemHeight: number
  readonly render: (item: Item, index: number) => ReactNode
  /** The element around each part. */
  readonly as?: 'div' | 'tbody'
  readonly className?: string
}): ReactElement {
  const parts = Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, part) => part * CHUNK)
  return (
    <>
      {parts.map((start) => {
        const part = items.slice(start, start + CHUNK)
        return (
          <LazyChunk
            key={start}
            as={as}
            className={className}
            height={part.length * itemHeight}
            isFirst={start === 0}
            render={() => part.map((item, index) => render(item, start + index))}
          />
        )
      })}
    </>
  )
}

function LazyChunk({
  as: Element,
  className,
  height,
  isFirst,
  render,
}: {
  readonly as: 'div' | 'tbody'
  readonly className: string | undefined
  /** In px, before it was shown. */
  readonly height: number
  /** True to show it from the start. */
  readonly isFirst: boolean
  readonly render: () => ReactNode
}): ReactElement {
  const element = useRef<HTMLDivElement & HTMLTableSectionElement>(null)
  const [isNear, setNear] = useState(isFirst)
  const [lastHeight, setLastHeight] = useState(height)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        // What has the focus stays mounted.
        const isShown = entry.isIntersecting || current.contains(document.activeElement)
        if (!isShown && entry.boundingClientRect.height > 0) setLastHeight(entry.boundingClientRect.height)
        setNear(isShown)
      },
      { root: scrollerOf(current), rootMargin: `${MARGIN}px` },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return (
    <Element ref={element} className={className} style={isNear ? {} : { height: lastHeight }}>
      {isNear ? render() : null}
    </Element>
  )
}

/** Returns the nearest element above that scrolls; `null` if the window does. */
export function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at)
    if (overflowY === 'auto' || overflowY === 'scroll') return at
  }
  return null
}
