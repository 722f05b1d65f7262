import { useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { createTimeMap, findGaps, isFoldedByDefault, type TimePeriod } from '../waterfall/time-map.ts'
import { axisTicks, createTimeScale, fit, pan, steppedEnd, zoom } from '../waterfall/time-scale.ts'
import type { AxisTick, TimeScale } from '../waterfall/time-scale.ts'
import type { WaterfallTree } from '../waterfall/timeline-node.ts'
import { activePeriods, extentOfTree } from '../waterfall/tree-periods.ts'
import type { TimelineClock } from './clock.ts'

/** The time axis of a timeline, and what changes it. */
export interface TimeAxis {
  readonly scale: TimeScale
  readonly ticks: readonly AxisTick[]
  /** The end of the axis, in ms since 1970. */
  readonly end: number
  readonly isZoomed: boolean
  /** Waits that can be folded. */
  readonly gaps: readonly TimePeriod[]
  readonly isFolded: boolean
  setFolded(isFolded: boolean): void
  /** Zooms in by a factor above 1, and out below it. `x` stays in place; by default the middle. */
  zoomBy(factor: number, x?: number): void
  /** Moves by a part of the visible period. */
  panBy(part: number): void
  /** Shows the period, or the whole axis if it already fits or is `undefined`. */
  fitTo(period: TimePeriod | undefined): void
  /** Shows exactly this period. */
  show(period: TimePeriod): void
}

/** Returns the time axis of a tree over a width in px. */
export function useTimeAxis(
  tree: WaterfallTree,
  {
    width,
    clock,
    until,
  }: { readonly width: number; readonly clock: TimelineClock; readonly until: number | undefined },
): TimeAxis {
  const extent = useMemo(() => extentOfTree(tree), [tree])
  const end = useAxisEnd(extent, { clock, until })
  const period = useMemo(() => ({ from: extent.from, to: end }), [extent.from, end])
  const gaps = useMemo(() => findGaps(activePeriods(tree, end), period, width), [tree, period, end, width])
  const [choice, setFolded] = useState<boolean>()
  const isFolded = choice ?? isFoldedByDefault(gaps, period)
  const foldKey = isFolded ? gaps.map(({ from, to }) => `${from} ${to}`).join() : ''
  // The gaps are a new list after each event, so the map depends on their values.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  const map = useMemo(() => createTimeMap(period, isFolded ? gaps : [], width), [period, foldKey, width])
  const [visible, setVisible] = useState<TimePeriod>()
  const scale = useMemo(() => createTimeScale(map, visible, width), [map, visible, width])
  const ticks = useMemo(() => axisTicks(scale), [scale])
  // Several wheel events may come before the next render.
  const latest = useRef(scale)
  useEffect(() => {
    latest.current = scale
  }, [scale])
  const change = (next: TimePeriod | undefined): void => {
    latest.current = createTimeScale(map, next, width)
    setVisible(next)
  }
  return {
    scale,
    ticks,
    end,
    isZoomed: visible !== undefined,
    gaps,
    isFolded,
    setFolded,
    zoomBy: (factor, x = width / 2) => change(zoom(latest.current, factor, x)),
    panBy(part) {
      const { visible: shown } = latest.current
      if (shown.from > map.from || shown.to < map.to) change(pan(latest.current, part))
    },
    fitTo(wanted) {
      const next = wanted === undefined ? undefined : fit(map, wanted)
      change(next?.from === visible?.from && next?.to === visible?.to ? undefined : next)
    },
    show: change,
  }
}

/** Returns the end of the axis. While a row continues, it moves in steps. */
function useAxisEnd(
  { from, to, isOpen }: { readonly from: number; readonly to: number; readonly isOpen: boolean },
  { clock, until }: { readonly clock: TimelineClock; readonly until: number | undefined },
): number {
  const isGrowing = isOpen && until === undefined
  const [grown, setGrown] = useState(0)
  useEffect(() => {
    if (!isGrowing) return undefined
    const grow = (): void => setGrown(steppedEnd(from, clock.now()))
    grow()
    return clock.subscribe(grow)
  }, [isGrowing, from, clock])
  if (until !== undefined) return Math.max(until, from + 1)
  return isGrowing ? Math.max(grown, steppedEnd(from, to)) : to
}

/** Zooms and moves the axis with the wheel and two fingers. `start` is the distance to the bars in px. */
export function useZoomGestures(element: RefObject<HTMLElement | null>, axis: TimeAxis, start: number): void {
  const latest = useRef({ axis, start })
  useEffect(() => {
    latest.current = { axis, start }
  })
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const xOf = (clientX: number): number => {
      const { axis: now, start: left } = latest.current
      return Math.max(0, Math.min(now.scale.width, clientX - current.getBoundingClientRect().left - left))
    }
    const onWheel = (event: WheelEvent): void => {
      const { axis: now } = latest.current
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault()
        now.zoomBy(Math.exp(-Math.max(-50, Math.min(50, event.deltaY)) / 100), xOf(event.clientX))
        return
      }
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY)
      if (!now.isZoomed || !(event.shiftKey || isSideways)) return
      event.preventDefault()
      now.panBy((isSideways ? event.deltaX : event.deltaY) / Math.max(1, now.scale.width))
    }
    let pinch: { readonly distance: number; readonly x: number } | undefined
    const onTouch = (event: TouchEvent): void => {
      const [a, b] = event.touches
      if (a === undefined || b === undefined || event.touches.length > 2) {
        pinch = undefined
        return
      }
      event.preventDefault()
      const next = {
        distance: Math.max(20, Math.abs(a.clientX - b.clientX)),
        x: xOf((a.clientX + b.clientX) / 2),
      }
      const { axis: now } = latest.current
      if (pinch !== undefined) {
        now.zoomBy(next.distance / pinch.distance, next.x)
        now.panBy((pinch.x - next.x) / Math.max(1, now.scale.width))
      }
      pinch = next
    }
    const options = { passive: false }
    current.addEventListener('wheel', onWheel, options)
    for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
      current.addEventListener(type, onTouch, options)
    return () => {
      current.removeEventListener('wheel', onWheel)
      for (const type of ['touchstart', 'touchmove', 'touchend'] as const)
        current.removeEventListener(type, onTouch)
    }
  }, [element])
}
