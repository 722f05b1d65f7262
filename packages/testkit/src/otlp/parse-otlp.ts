/** Attributes by name. */
export type ReceivedAttributes = Readonly<Record<string, unknown>>

/** A received span. Times are in ms. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'client' | 'other'
  readonly start: number
  readonly end: number
  readonly attributes: ReceivedAttributes
  readonly events: readonly { readonly name: string; readonly attributes: ReceivedAttributes }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly isError: boolean
  readonly message: string | undefined
  readonly resource: ReceivedAttributes
}

/** A received log record. */
export interface ReceivedLog {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly severity: string
  readonly body: unknown
  readonly attributes: ReceivedAttributes
}

/** A received value of a metric: the sum of a counter, or of a histogram with the number of its values. */
export interface ReceivedMetric {
  readonly name: string
  readonly unit: string
  readonly sum: number
  readonly count: number | undefined
  readonly attributes: ReceivedAttributes
  readonly resource: ReceivedAttributes
}

/** Parses an export request of spans. Throws if a field is missing, unknown or has another type. */
export function parseSpans(message: unknown): readonly ReceivedSpan[] {
  return grouped(message, ['resourceSpans', 'scopeSpans', 'spans']).flatMap(({ item, resource }) => {
    const span = fields(item, 'a span', {
      traceId: hex(32),
      spanId: hex(16),
      parentSpanId: optional(hex(16)),
      name: isText,
      kind: isCount,
      startTimeUnixNano: isNanos,
      endTimeUnixNano: isNanos,
      attributes: isList,
      droppedAttributesCount: isCount,
      events: isList,
      droppedEventsCount: isCount,
      links: isList,
      droppedLinksCount: isCount,
      status: isObject,
      flags: optional(isCount),
      traceState: optional(isText),
    })
    const status = fields(span['status'], 'a status', { code: isCount, message: optional(isText) })
    const [start, end] = [toMs(span['startTimeUnixNano']), toMs(span['endTimeUnixNano'])]
    if (end < start) throw new Error(`the span ${String(span['name'])} ends before it starts`)
    return {
      traceId: span['traceId'] as string,
      spanId: span['spanId'] as string,
      parentSpanId: span['parentSpanId'] as string | undefined,
      name: span['name'] as string,
      kind: span['kind'] === 1 ? 'internal' : span['kind'] === 3 ? 'client' : 'other',
      start,
      end,
      attributes: toAttributes(span['attributes']),
      events: (span['events'] as unknown[]).map((event) => {
        const read = fields(event, 'an event', {
          name: isText,
          timeUnixNano: isNanos,
          attributes: isList,
          droppedAttributesCount: isCount,
        })
        return { name: read['name'] as string, attributes: toAttributes(read['attributes']) }
      }),
      links: (span['links'] as unknown[]).map((link) => {
        const read = fields(link, 'a link', {
          traceId: hex(32),
          spanId: hex(16),
          attributes: isList,
          droppedAttributesCount: isCount,
          flags: optional(isCount),
          traceState: optional(isText),
        })
        return { traceId: read['traceId'] as string, spanId: read['spanId'] as string }
      }),
      isError: status['code'] === 2,
      message: status['message'] as string | undefined,
      resource,
    }
  })
}

/** Parses an export request of log records. Throws like `parseSpans`. */
export function parseLogs(message: unknown): readonly ReceivedLog[] {
  return grouped(message, ['resourceLogs', 'scopeLogs', 'logRecords']).map(({ item }) => {
    const log = fields(item, 'a log record', {
      timeUnixNano: isNanos,
      observedTimeUnixNano: isNanos,
      severityNumber: isCount,
      severityText: isText,
      eventName: isText,
      body: isObject,
      attributes: isList,
      droppedAttributesCount: isCount,
      flags: optional(isCount),
      traceId: hex(32),
      spanId: hex(16),
    })
    return {
      traceId: log['traceId'] as string,
      spanId: log['spanId'] as string,
      name: log['eventName'] as string,
      severity: log['severityText'] as string,
      body: toValue(log['body']),
      attributes: toAttributes(log['attributes']),
    }
  })
}

/** Parses an export request of metrics. Throws if one is no counter and no histogram. */
export function parseMetrics(message: unknown): readonly ReceivedMetric[] {
  return grouped(message, ['resourceMetrics', 'scopeMetrics', 'metrics']).flatMap(({ item, resource }) => {
    const metric = fields(item, 'a metric', {
      name: isText,
      description: isText,
      unit: isText,
      sum: optional(isObject),
      histogram: optional(isObject),
    })
    const { dataPoints } = (metric['sum'] ?? metric['histogram']) as { readonly dataPoints: unknown[] }
    return dataPoints.map((point) => {
      const read = fields(point, 'a data point', {
        attributes: isList,
        startTimeUnixNano: isNanos,
        timeUnixNano: isNanos,
        asDouble: optional(isNumber),
        asInt: optional(isNumber),
        count: optional(isCount),
        sum: optional(isNumber),
        min: optional(isNumber),
        max: optional(isNumber),
        bucketCounts: optional(isList),
        explicitBounds: optional(isList),
      })
      return {
        name: metric['name'] as string,
        unit: metric['unit'] as string,
        sum: (read['asDouble'] ?? read['asInt'] ?? read['sum']) as number,
        count: read['count'] as number | undefined,
        attributes: toAttributes(read['attributes']),
        resource,
      }
    })
  })
}

type Check = (value: unknown) => boolean

/** Returns an object of which every field passes its check, and that has no other fields. */
function fields(
  value: unknown,
  what: string,
  checks: Readonly<Record<string, Check>>,
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new Error(`${what} is not an object: ${JSON.stringify(value)}`)
  const object = value as Readonly<Record<string, unknown>>
  for (const key of Object.keys(object))
    if (!Object.hasOwn(checks, key)) throw new Error(`${what} has the unknown field ${key}`)
  for (const [key, check] of Object.entries(checks))
    if (!check(object[key])) throw new Error(`${what} has an invalid ${key}: ${JSON.stringify(object[key])}`)
  return object
}

/** Returns the items of a request with the attributes of their resources. */
function grouped(
  message: unknown,
  [resources, scopes, items]: readonly [string, string, string],
): readonly { readonly item: unknown; readonly resource: ReceivedAttributes }[] {
  const request = fields(message, 'the request', { [resources]: isList })
  return (request[resources] as unknown[]).flatMap((group) => {
    const read = fields(group, 'a resource group', {
      resource: isObject,
      [scopes]: isList,
      schemaUrl: optional(isText),
    })
    const resource = fields(read['resource'], 'a resource', {
      attributes: isList,
      droppedAttributesCount: isCount,
    })
    const attributes = toAttributes(resource['attributes'])
    return (read[scopes] as unknown[]).flatMap((scoped) => {
      const scope = fields(scoped, 'a scope group', {
        scope: isObject,
        [items]: isList,
        schemaUrl: optional(isText),
      })
      return (scope[items] as unknown[]).map((item) => ({ item, resource: attributes }))
    })
  })
}

function toAttributes(list: unknown): ReceivedAttributes {
  const entries = (list as unknown[]).map((entry) => {
    const { key, value } = fields(entry, 'an attribute', { key: isText, value: isObject })
    return [key as string, toValue(value)] as const
  })
  const attributes = Object.fromEntries(entries)
  if (Object.keys(attributes).length < entries.length) throw new Error('an attribute occurs twice')
  return attributes
}

function toValue(value: unknown): unknown {
  const [entry, ...others] = Object.entries(value as object) as (readonly [string, unknown])[]
  if (entry === undefined || others.length > 0) throw new Error(`not one value: ${JSON.stringify(value)}`)
  const [kind, raw] = entry
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
      return raw
    case 'intValue':
      return Number(raw)
    case 'arrayValue':
      return (raw as { readonly values: unknown[] }).values.map(toValue)
    default:
      throw new Error(`a value is a ${kind}`)
  }
}

function toMs(nanos: unknown): number {
  return Number(BigInt(nanos as string) / 1_000_000n)
}

function hex(length: number): Check {
  return (value) =>
    typeof value === 'string' && new RegExp(`^[0-9a-f]{${length}}$`, 'u').test(value) && !/^0+$/u.test(value)
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isNanos(value: unknown): boolean {
  return typeof value === 'string' && /^[1-9]\d{0,19}$/u.test(value)
}

function isList(value: unknown): boolean {
  return Array.isArray(value)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
