import {
  errorMessage,
  resultText,
  toFailure,
  toolResult,
  type HookContext,
  type JsonObject,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { z } from 'zod'
import { callFilterOptions, compileCallFilter, type CallFilter } from './call-filter.ts'
import { mapStrings, replaceMatches, TEXT_KINDS, type TextKind } from './text-patterns.ts'
import { patternList } from './redact.ts'
import { optionsError, stockHook, type StockHook, type StockHookHost } from './stock-hook.ts'

/** Options of {@link audit}. */
export interface AuditOptions extends CallFilter {
  /**
   * Path relative to the card and inside its folder, ending with `.jsonl`, `.ndjson` or `.log`. Without it
   * the lines are emitted as `log` events, which are not persisted.
   */
  readonly file?: string
  /** Records the arguments, their SHA-256 (the same for equal calls), or nothing. Default `full`. */
  readonly args?: 'full' | 'hash' | 'none'
  /** Records the text of the result, its SHA-256, or nothing. Default `none`. */
  readonly result?: 'full' | 'hash' | 'none'
  /** Also writes a line before the call; if that fails, the call is not made. Default false. */
  readonly start?: boolean
  /**
   * Kinds of text to redact in the lines, as in `redact`; known secrets are always redacted. Default
   * `[tokens]`.
   */
  readonly kinds?: readonly TextKind[]
  /** Patterns to redact, as in `redact`. */
  readonly patterns?: readonly string[]
}

const detail = z.enum(['full', 'hash', 'none'])
const options = z.strictObject({
  ...callFilterOptions,
  file: z
    .string()
    .regex(/\.(?:jsonl|ndjson|log)$/u, { error: 'must end with .jsonl, .ndjson or .log' })
    .optional(),
  args: detail.default('full'),
  result: detail.default('none'),
  start: z.boolean().default(false),
  kinds: z.array(z.enum(TEXT_KINDS)).default(['tokens']),
  patterns: patternList.default([]),
})
type AuditSettings = z.output<typeof options>

/** Longer arguments and results are recorded by their hash. */
const MAX_CHARACTERS = 20_000

/**
 * Writes one JSON line for every call that reaches it: the agent, the tool, the arguments, the outcome and
 * the duration. A call whose line cannot be written is reported as failed, so that no call goes unrecorded.
 * @example audit({ file: 'audit.jsonl', args: 'hash', start: true })
 */
export const audit: StockHook<AuditOptions> = stockHook('audit', options, (settings, host): ToolHook => {
  const concerns = compileCallFilter(settings)
  const replace = replaceMatches(settings.kinds, settings.patterns)
  const write = writer(settings.file, host)
  return async function audit(ctx, args, callNext) {
    if (!concerns(ctx)) return callNext(args)
    const hide = (text: string): string => replace(ctx.hideSecrets(text), '[redacted]')
    const writeRecord = (record: JsonObject): Promise<unknown> =>
      write(ctx, JSON.stringify(mapStrings({ ...callRecord(ctx), ...record }, hide)))
    const given = detailOf('args', settings.args, canonicalJson(args), args)
    const since = ctx.clock.monotonic()
    if (settings.start) {
      const failed = await writeRecord({ phase: 'start', ...given })
      if (failed !== undefined) return writeFailure(ctx, failed, 'the call was not made')
    }
    const end = (record: JsonObject): Promise<unknown> =>
      writeRecord({
        phase: 'end',
        ...given,
        ...record,
        durationMs: Math.round(ctx.clock.monotonic() - since),
      })
    const result = await callNext(args).catch(async (thrown: unknown) => {
      const { code, message } = toFailure(thrown, 'hook_failed')
      const writeError = await end({ outcome: 'failed', code, error: message })
      return writeError === undefined
        ? Promise.reject(thrown)
        : writeFailure(ctx, writeError, 'a later hook threw')
    })
    const failed = await end(resultRecord(result, settings))
    return failed === undefined ? result : writeFailure(ctx, failed, `the call was made: ${result.outcome}`)
  }
})

type Write = (ctx: HookContext, line: string) => Promise<unknown>

/** Returns a function that writes a line and resolves with the error, if any. */
function writer(file: string | undefined, host: StockHookHost): Write {
  if (file === undefined) return (ctx, line) => Promise.resolve(ctx.log(line))
  const append = openFile(file, host)
  return (_ctx, line) => append(line).then(undefined, (thrown: unknown) => thrown ?? 'unknown')
}

function openFile(file: string, { openLines }: StockHookHost): (line: string) => Promise<void> {
  try {
    if (openLines !== undefined) return openLines(file)
  } catch (thrown) {
    throw optionsError('audit', [{ path: ['file'], message: errorMessage(thrown) }])
  }
  const message = '`file` requires a host that can write the audit log'
  throw optionsError('audit', [{ path: ['file'], message }])
}

function callRecord(ctx: HookContext): JsonObject {
  return {
    time: new Date(ctx.clock.now()).toISOString(),
    agent: ctx.agentName,
    instance: ctx.instanceName,
    call: ctx.correlationId,
    tool: ctx.toolName,
    source: ctx.toolSource,
    ...(ctx.serverName === undefined ? {} : { server: ctx.serverName }),
  }
}

function resultRecord(result: ToolResult, settings: AuditSettings): JsonObject {
  const { outcome, failure, childRunId } = result
  const text = resultText(result)
  return {
    outcome,
    ...(failure === undefined ? {} : { code: failure.code, error: failure.message }),
    ...(childRunId === undefined ? {} : { childRunId }),
    ...detailOf('result', settings.result, text, text),
  }
}

function detailOf(
  key: string,
  detail: AuditSettings['args'],
  text: string,
  value: JsonObject | string,
): JsonObject {
  if (detail === 'none') return {}
  if (detail === 'full' && text.length <= MAX_CHARACTERS) return { [key]: value }
  return { [`${key}Sha256`]: sha256Hex(text), [`${key}Characters`]: text.length }
}

function writeFailure(ctx: HookContext, thrown: unknown, what: string): ToolResult {
  return toolResult.error(
    'hook_failed',
    `The audit record of ${ctx.toolName} could not be written (${what}): ${errorMessage(thrown)}`,
    'Make the audit file writable.',
  )
}
