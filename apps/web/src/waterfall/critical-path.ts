/** A period with the periods inside it. */
export interface PathSpan {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly children: readonly PathSpan[]
}

/** A part of the critical path: this span alone determined the end of the whole. */
export interface PathPiece {
  readonly key: string
  readonly from: number
  readonly to: number
}

interface PathFrame {
  readonly key: string
  readonly from: number
  /** The time back to which the path is known. */
  at: number
  /** Children inside the span, the last to end first. */
  readonly children: readonly PathSpan[]
  next: number
}

/**
 * Returns the critical path: the pieces that determined when the root ended, the last one first. Together they
 * cover the root without overlap. Goes back from the end: the child that ended last was waited for, before it
 * the one that ended before it began, and the time between them belongs to the parent.
 */
export function criticalPath(root: PathSpan): readonly PathPiece[] {
  const pieces: PathPiece[] = []
  const add = ({ key }: PathFrame, from: number, to: number): void => {
    if (to > from) pieces.push({ key, from, to })
  }
  const frames = [frameOf(root, root)]
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const child = nextChild(frame)
    if (child === undefined) {
      add(frame, frame.from, frame.at)
      frames.pop()
      const parent = frames.at(-1)
      if (parent !== undefined) parent.at = frame.from
    } else {
      add(frame, child.to, frame.at)
      frames.push(frameOf(child, child))
    }
  }
  return pieces
}

/** Returns the next child that ended before the known path, and moves past it. */
function nextChild(frame: PathFrame): PathSpan | undefined {
  while (frame.next < frame.children.length) {
    const child = frame.children[frame.next]
    frame.next += 1
    if (child !== undefined && child.to <= frame.at) return child
  }
  return undefined
}

/** Clips the children to the period of the span. Those outside of it are left out. */
function frameOf({ key, children }: PathSpan, { from, to }: Pick<PathSpan, 'from' | 'to'>): PathFrame {
  const inside = children
    .filter((child) => child.from < to && child.to > from)
    .map((child) => ({ ...child, from: Math.max(from, child.from), to: Math.min(to, child.to) }))
    .toSorted((a, b) => b.to - a.to)
  return { key, from, at: to, children: inside, next: 0 }
}
