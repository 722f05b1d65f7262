import {
  toFailure,
  toolResult,
  type Json,
  type JsonObject,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { mapStrings, patternProblem, replaceMatches, TEXT_KINDS, type TextKind } from './text-patterns.ts'
import { stockHook, type StockHook } from './stock-hook.ts'

/** Options of {@link redact}. */
export interface RedactOptions extends CallFilter {
  /**
   * Kinds of text to redact: keys and tokens of well-known services, email addresses, card numbers. Default
   * `[tokens]`.
   */
  readonly kinds?: readonly TextKind[]
  /** Additional patterns in RE2 syntax: they run in linear time and have no lookarounds or backreferences. */
  readonly patterns?: readonly string[]
  /** Replacement text. Default `[redacted]`. */
  readonly replacement?: string
  /** Redacts the arguments, the result, or both. Default `[result]`. */
  readonly where?: readonly ('args' | 'result')[]
}

/** Schema of an option that lists RE2 patterns. */
export const patternList: z.ZodType<readonly string[]> = z.array(
  z
    .string()
    .min(1)
    .max(1000)
    .superRefine((pattern, context) => {
      const problem = patternProblem(pattern)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
)

const options = z.strictObject({
  ...callFilterOptions,
  kinds: z.array(z.enum(TEXT_KINDS)).default(['tokens']),
  patterns: patternList.default([]),
  replacement: z.string().max(200).default('[redacted]'),
  where: z
    .array(z.enum(['args', 'result']))
    .min(1)
    .default(['result']),
})

/**
 * Redacts these kinds and patterns, and the known secrets of the session, in every text of a result: content,
 * structured content, failure, and the messages that a forked child adds. Binary data is left as it is.
 * @example redact({ kinds: ['tokens', 'emails'], patterns: ['ACME-\\d+'], where: ['args', 'result'] })
 */
export const redact: StockHook<RedactOptions> = stockHook('redact', options, (settings): ToolHook => {
  const concerns = compileCallFilter(settings)
  const replace = replaceMatches(settings.kinds, settings.patterns)
  return async function redact(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    const hide = (text: string): string => replace(ctx.hideSecrets(text), settings.replacement)
    const given = settings.where.includes('args') ? (mapStrings(args, hide) as JsonObject) : args
    // The text of an exception has to be redacted too, so it becomes a result here.
    const result = await callNext(given).catch((thrown: unknown) =>
      toolResult.failed(toFailure(thrown, 'hook_failed')),
    )
    return settings.where.includes('result') ? hideInResult(result, hide) : result
  }
})

function hideInResult(result: ToolResult, hide: (text: string) => string): ToolResult {
  const { content, structured, failure, merge } = result
  return {
    ...result,
    content: content.map((part) => (part.type === 'text' ? { ...part, text: hide(part.text) } : part)),
    ...(structured === undefined ? {} : { structured: mapStrings(structured, hide) }),
    ...(failure === undefined
      ? {}
      : { failure: { ...failure, message: hide(failure.message), remediation: hide(failure.remediation) } }),
    ...(merge === undefined
      ? {}
      : { merge: merge.map((message) => hideInMessage(message as unknown as Json, hide)) as never }),
  }
}

/** Members of a message that are identifiers rather than text from a person, a model or a tool. */
const IDENTIFIER_KEYS: ReadonlySet<string> = new Set(['type', 'role', 'toolCallId', 'toolName', 'mediaType'])

function hideInMessage(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => hideInMessage(item, hide))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      IDENTIFIER_KEYS.has(key) ? member : hideInMessage(member, hide),
    ]),
  )
}
