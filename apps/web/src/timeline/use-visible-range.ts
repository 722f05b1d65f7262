import { useLayoutEffect, useState, type RefObject } from 'react'
import { scrollerOf } from './lazy-chunks.tsx'

/** Rows that are drawn above and below the visible ones. */
const OVERSCAN = 4
/** The range changes in steps of so many rows, so that scrolling draws less often. */
const STEP = 4

/** Rows from `first` to before `end`. */
export interface VisibleRange {
  readonly first: number
  readonly end: number
}

/**
 * Returns the rows of a list that are in view, with some around them. All rows have the same height, and the
 * element or one above it scrolls.
 */
export function useVisibleRange(
  list: RefObject<HTMLElement | null>,
  { count, rowHeight }: { readonly count: number; readonly rowHeight: number },
): VisibleRange {
  const [range, setRange] = useState<VisibleRange>({ first: 0, end: 40 })
  useLayoutEffect(() => {
    const { current } = list
    if (current === null) return undefined
    const scroller = scrollerOf(current)
    const measure = (): void => {
      const { top } = current.getBoundingClientRect()
      const frame = scroller?.getBoundingClientRect()
      const from = Math.max(0, frame?.top ?? 0)
      const to = Math.min(innerHeight, frame?.bottom ?? innerHeight)
      const first = STEP * Math.floor(Math.max(0, (from - top) / rowHeight - OVERSCAN) / STEP)
      const end = STEP * Math.ceil(Math.max(0, (to - top) / rowHeight + OVERSCAN) / STEP)
      setRange((before) => (before.first === first && before.end === end ? before : { first, end }))
    }
    measure()
    const resizes = new ResizeObserver(measure)
    resizes.observe(current)
    if (scroller !== null) resizes.observe(scroller)
    document.addEventListener('scroll', measure, { capture: true, passive: true })
    addEventListener('resize', measure)
    return () => {
      resizes.disconnect()
      document.removeEventListener('scroll', measure, { capture: true })
      removeEventListener('resize', measure)
    }
  }, [list, rowHeight])
  return { first: Math.min(range.first, Math.max(0, count - 1)), end: Math.min(range.end, count) }
}

/** Returns the width of an element in px; 0 if it is not shown. */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const measure = (): void => setWidth(current.clientWidth)
    measure()
    const resizes = new ResizeObserver(measure)
    resizes.observe(current)
    return () => resizes.disconnect()
  }, [element])
  return width
}
