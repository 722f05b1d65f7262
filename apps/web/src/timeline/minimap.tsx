import { useEffect, useMemo, useRef, useState, type PointerEvent, type ReactElement } from 'react'
import { useIsDark } from '../ui/use-is-dark.ts'
import { densityOf, type DensityColumn } from '../waterfall/density.ts'
import { createTimeScale } from '../waterfall/time-scale.ts'
import type { WaterfallTree } from '../waterfall/timeline-node.ts'
import type { TimeAxis } from './use-time-axis.ts'

const HEIGHT = 30
/** Shorter drags are clicks. */
const MIN_DRAG = 4
const REDRAW_MS = 300

/**
 * Draws the activity of the whole run in small. Dragging selects the visible period, and a click shows the
 * whole run. Hidden from screen readers, as the keys of the timeline do the same.
 */
export function Minimap({
  tree,
  axis,
}: {
  readonly tree: WaterfallTree
  readonly axis: TimeAxis
}): ReactElement {
  const isDark = useIsDark()
  const canvas = useRef<HTMLCanvasElement>(null)
  const { map, width, visible } = axis.scale
  const whole = useMemo(() => createTimeScale(map, undefined, width), [map, width])
  const [drag, setDrag] = useState<readonly [start: number, now: number]>()
  const draw = useRef(() => {})
  const colours = useRef<readonly string[]>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    draw.current = () => {
      timer.current = undefined
      const { current } = canvas
      if (current === null) return
      // The colours are read once, because reading them makes the browser compute all styles.
      colours.current ??= ['--accent', '--warn', '--bad'].map((name) => resolveColour(current, name))
      drawColumns(current, densityOf(tree, whole, axis.end), colours.current)
    }
    timer.current ??= setTimeout(
      () => draw.current(),
      tree.roots.some(({ to }) => to === undefined) ? REDRAW_MS : 0,
    )
  }, [tree, whole, axis.end])
  useEffect(() => {
    colours.current = undefined
    draw.current()
  }, [isDark])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  const xOf = (event: PointerEvent<HTMLElement>): number =>
    Math.max(0, Math.min(width, event.clientX - event.currentTarget.getBoundingClientRect().left))
  const end = (): void => {
    if (drag === undefined) return
    const [from, to] = drag[0] < drag[1] ? drag : [drag[1], drag[0]]
    setDrag(undefined)
    if (to - from < MIN_DRAG) axis.fitTo(undefined)
    else axis.show({ from: whole.toTime(from), to: whole.toTime(to) })
  }
  const [left, right] =
    drag === undefined
      ? [whole.toX(visible.from), whole.toX(visible.to)]
      : [Math.min(...drag), Math.max(...drag)]
  return (
    <div
      aria-hidden="true"
      data-minimap=""
      className="relative cursor-crosshair touch-none border-b border-line/60"
      style={{ height: HEIGHT, width }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag([xOf(event), xOf(event)])
      }}
      onPointerMove={(event) => {
        if (drag !== undefined) setDrag([drag[0], xOf(event)])
      }}
      onPointerUp={end}
      onPointerCancel={() => setDrag(undefined)}
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      {axis.isZoomed || drag !== undefined ? (
        <>
          <span className="absolute inset-y-0 left-0 bg-page/70" style={{ width: Math.max(0, left) }} />
          <span
            className="absolute inset-y-0 right-0 bg-page/70"
            style={{ width: Math.max(0, width - right) }}
          />
          <span
            className="absolute inset-y-0 border-x-2 border-accent"
            style={{ left, width: Math.max(2, right - left) }}
          />
        </>
      ) : null}
    </div>
  )
}

function drawColumns(
  canvas: HTMLCanvasElement,
  columns: readonly DensityColumn[],
  colours: readonly string[],
): void {
  const ratio = devicePixelRatio
  canvas.width = columns.length * ratio
  canvas.height = HEIGHT * ratio
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(ratio, ratio)
  const [work, wait, error] = colours
  const most = columns.reduce((max, { active }) => Math.max(max, active), 1)
  for (const [x, { active, isWaiting, hasError }] of columns.entries()) {
    if (isWaiting && wait !== undefined) {
      context.fillStyle = wait
      context.fillRect(x, HEIGHT - 4, 1, 4)
    }
    if (active > 0 && work !== undefined) {
      const height = 4 + (HEIGHT - 8) * Math.sqrt(active / most)
      context.fillStyle = work
      context.fillRect(x, HEIGHT - height, 1, height)
    }
    if (hasError && error !== undefined) {
      context.fillStyle = error
      context.fillRect(x - 0.5, 0, 2, HEIGHT)
    }
  }
}

/** Returns the present value of a colour of the theme, as a canvas knows no variables. */
function resolveColour(canvas: HTMLCanvasElement, name: string): string {
  canvas.style.color = `var(${name})`
  return getComputedStyle(canvas).color
}
