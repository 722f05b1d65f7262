import type { ReceivedSpan } from './parse-otlp.ts'

/**
 * Returns the tree of the spans of one trace, one line per span and two spaces per level. Children are sorted by
 * start and name. Throws if a span is missing its parent or has been received with different contents, or if there are
 * several traces. A `caller` is the id of a span of another system.
 */
export function spanTree(
  spans: readonly ReceivedSpan[],
  {
    caller,
    describe = ({ name }) => name,
  }: {
    readonly caller?: string
    readonly describe?: (span: ReceivedSpan) => string
  } = {},
): readonly string[] {
  const traces = new Set(spans.map(({ traceId }) => traceId))
  if (traces.size > 1) throw new Error(`there are ${traces.size} traces`)
  const byId = new Map<string, ReceivedSpan>()
  for (const span of spans) {
    const other = byId.get(span.spanId)
    if (other !== undefined && contentOf(other) !== contentOf(span))
      throw new Error(`two spans have the id of ${span.name}`)
    byId.set(span.spanId, span)
  }
  const children = Map.groupBy(byId.values(), ({ parentSpanId }) => {
    if (parentSpanId === undefined || parentSpanId === caller || byId.has(parentSpanId)) return parentSpanId
    return 'none'
  })
  for (const orphan of children.get('none') ?? []) throw new Error(`${orphan.name} has no parent`)
  const lines = (id: string | undefined, indent: string): readonly string[] =>
    (children.get(id) ?? [])
      .toSorted((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1))
      .flatMap((span) => [`${indent}${describe(span)}`, ...lines(span.spanId, `${indent}  `)])
  return lines(caller, '')
}

/** Returns everything but the process that has sent the span. */
function contentOf({ resource: _resource, ...content }: ReceivedSpan): string {
  return JSON.stringify(content)
}
