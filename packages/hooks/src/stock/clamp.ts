import {
  isJsonObject,
  type ToolHook,
  type ContentPart,
  type ToolResult,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link clamp}. */
export interface ClampOptions extends CallFilter {
  /**
   * Bounds by argument path: keys separated by dots, with `*` for every item of a list, such as `query.limit`
   * or `files.*.lines`.
   */
  readonly args?: Readonly<Record<string, Bound>>
  /** Bounds of the result. */
  readonly result?: {
    /** Maximum UTF-8 bytes of text in the result. Longer text is cut and a note about it is added. */
    readonly maxBytes: number
  }
}

const bound = z
  .strictObject({
    min: z.number().optional(),
    max: z.number().optional(),
    maxLength: z.int().min(0).optional(),
    maxItems: z.int().min(0).optional(),
  })
  .refine(({ min = -Infinity, max = Infinity }) => min <= max, { error: '`min` is greater than `max`' })

const options = z.strictObject({
  ...callFilterOptions,
  args: z.record(z.string().min(1), bound).default({}),
  result: z.strictObject({ maxBytes: z.int().min(1) }).optional(),
})

/**
 * Clamps arguments before the tool gets them, and cuts long results. Values of another type than their bound
 * are left for the input schema to judge.
 * @example clamp({ tools: ['search'], args: { limit: { max: 20 }, query: { maxLength: 200 } }, result: { maxBytes: 8000 } })
 */
export const clamp: StockHook<ClampOptions> = stockHook('clamp', options, (settings): ToolHook => {
  const concerns = compileCallFilter(settings)
  const bounds = Object.entries(settings.args).map(([path, each]) => ({ path: path.split('.'), bound: each }))
  return async function clamp(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    const result = await callNext(clampArguments(args, bounds))
    return settings.result === undefined ? result : cutResult(result, settings.result.maxBytes)
  }
})

const encoder = new TextEncoder()

/**
 * Cuts the text of a result to `maxBytes` and adds a note of how much was cut. Drops structured content,
 * which would still contain the cut text; binary data is kept.
 */
function cutResult(result: ToolResult, maxBytes: number): ToolResult {
  let left = maxBytes
  let lost = 0
  const content = result.content.map((part): ContentPart => {
    if (part.type !== 'text') return part
    const bytes = encoder.encode(part.text)
    const kept = new TextDecoder().decode(bytes.subarray(0, characterBoundary(bytes, left)))
    const size = bytes.length > left ? encoder.encode(kept).length : bytes.length
    left -= size
    lost += bytes.length - size
    return bytes.length === size ? part : { type: 'text', text: kept }
  })
  if (lost === 0) return result
  const { structured: _structured, ...rest } = result
  return { ...rest, content: [...content, { type: 'text', text: `[truncated: ${lost} bytes omitted]` }] }
}

/** Returns the largest position at or before `end` that does not split a UTF-8 character. */
function characterBoundary(bytes: Uint8Array, end: number): number {
  let at = Math.min(end, bytes.length)
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return at
}

/**
 * Limits of a value: a number within `min` and `max`, text of at most `maxLength` characters, a list of at
 * most `maxItems`.
 */
export interface Bound {
  /** The smallest number. */
  readonly min?: number | undefined
  /** The largest number. */
  readonly max?: number | undefined
  /** Maximum number of characters of a text. */
  readonly maxLength?: number | undefined
  /** Maximum number of items of a list. */
  readonly maxItems?: number | undefined
}

/** A bound and the path of the values it applies to; `*` stands for every item of a list. */
interface BoundAtPath {
  readonly path: readonly string[]
  readonly bound: Bound
}

/** Returns the arguments with every bounded value clamped. Paths that do not exist are ignored. */
function clampArguments(args: JsonObject, bounds: readonly BoundAtPath[]): JsonObject {
  return bounds.reduce<Json>((value, { path, bound }) => clampAt(value, path, bound), args) as JsonObject
}

function clampAt(value: Json, path: readonly string[], bound: Bound): Json {
  const [step, ...rest] = path
  if (step === undefined) return clampValue(value, bound)
  if (Array.isArray(value))
    return step === '*' ? (value as readonly Json[]).map((item) => clampAt(item, rest, bound)) : value
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value
  // `fromEntries` always creates own properties, even for a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === step ? clampAt(member, rest, bound) : member]),
  )
}

function clampValue(value: Json, { min = -Infinity, max = Infinity, maxLength, maxItems }: Bound): Json {
  if (typeof value === 'number') return Math.min(max, Math.max(min, value))
  if (typeof value === 'string') return maxLength === undefined ? value : truncateText(value, maxLength)
  if (Array.isArray(value)) return maxItems === undefined ? value : value.slice(0, maxItems)
  return value
}

/** Returns the start of a text without splitting a surrogate pair. */
function truncateText(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
