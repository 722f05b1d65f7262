import { EVENT_ID, SCALAR_STYLE, getScalarValue, type parseEvents } from 'js-yaml'
import type { FieldPath, Position } from '../card/problem.ts'

/** An event of the YAML parser. */
export type YamlEvent = ReturnType<typeof parseEvents>[number]
/** The events that start a value: a sequence, a mapping or a scalar. */
type ValueEvent = Extract<YamlEvent, { readonly type: 2 | 3 | 4 }>

/** The offset of an absent part. */
const ABSENT_OFFSET = -1

/** Offsets of the keys and list items of a YAML text. */
export interface PositionIndex {
  /** Returns the offset of a key or list item, or of the nearest one around it. */
  offsetOf(path: FieldPath): number | undefined
}

interface Collection {
  readonly path: FieldPath
  /** Number of items so far. */
  count: number
  /** The key of a mapping whose value comes next. */
  key?: string | undefined
  readonly isMapping: boolean
}

/** Indexes the events of a document in one pass. */
export function indexPositions(events: readonly YamlEvent[], source: string): PositionIndex {
  const offsets = new Map<string, number>()
  const open: Collection[] = []
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.ALIAS) continue
    if (event.type === EVENT_ID.POP) {
      open.pop()
      continue
    }
    const offset = startOf(event)
    const parent = open.at(-1)
    const path = parent === undefined ? [] : enter(parent, { event, offset, source, offsets })
    if (path === undefined || event.type === EVENT_ID.SCALAR) continue
    open.push({ path, count: 0, isMapping: event.type === EVENT_ID.MAPPING })
  }
  return { offsetOf: (path) => nearest(offsets, path) }
}

/**
 * Returns the path of the value that an event starts, or `undefined` for a key. Records the offsets of keys
 * and list items.
 */
function enter(
  parent: Collection,
  at: {
    readonly event: YamlEvent
    readonly offset: number
    readonly source: string
    readonly offsets: Map<string, number>
  },
): FieldPath | undefined {
  if (!parent.isMapping) {
    const path = [...parent.path, parent.count]
    parent.count += 1
    at.offsets.set(JSON.stringify(path), at.offset)
    return path
  }
  if (parent.key === undefined) {
    parent.key = at.event.type === EVENT_ID.SCALAR ? getScalarValue(at.source, at.event) : ''
    at.offsets.set(JSON.stringify([...parent.path, parent.key]), at.offset)
    return undefined
  }
  const path = [...parent.path, parent.key]
  parent.key = undefined
  return path
}

/** Returns the offset at which a value starts. */
export function startOf(event: ValueEvent): number {
  if (event.type !== EVENT_ID.SCALAR) return event.start
  // An empty scalar has no text, but may have a tag.
  if (event.valueStart === ABSENT_OFFSET) return Math.max(event.tagStart, 0)
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
  return isQuoted ? event.valueStart - 1 : event.valueStart
}

function nearest(offsets: ReadonlyMap<string, number>, path: FieldPath): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = offsets.get(JSON.stringify(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return undefined
}

/** Returns the position of an offset in a file whose line `firstLine` starts the text. */
export function lineAndColumn(text: string, offset: number, firstLine: number): Position {
  let line = firstLine
  let lineStart = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', lineStart)) {
    line += 1
    lineStart = end + 1
  }
  return { line, column: offset - lineStart + 1 }
}
