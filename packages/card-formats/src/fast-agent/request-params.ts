import { isJsonObject, type Json } from '@troupe/schema'
import {
  dottedPath,
  IGNORED_PARAMS,
  REQUEST_PARAMS,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldRow,
} from '@troupe/cards/formats'

const PARAMS: ReadonlyMap<string, FieldPath> = new Map([
  ...[...REQUEST_PARAMS].map(([key, { to }]) => [key, to] as const),
  ['streaming_timeout', ['limits', 'idleTimeout']],
])
const NOT_SENT = 'this setting is not sent to providers'

/** A key without which the agent does something else, unless its value is what Troupe does anyway. */
interface LostParam {
  readonly reason: string
  readonly usual?: Json
}

const LOST: ReadonlyMap<string, LostParam> = new Map<string, LostParam>([
  [
    'tool_result_mode',
    { reason: 'the model always reads the results of its tools and answers', usual: 'postprocess' },
  ],
  ['systemPrompt', { reason: 'the prompt is the text of the card' }],
  ['model', { reason: 'set `model` in the card' }],
  ['use_history', { reason: 'an agent sees the session of its caller', usual: true }],
  ['top_k', { reason: NOT_SENT }],
  ['min_p', { reason: NOT_SENT, usual: 0 }],
  ['presence_penalty', { reason: NOT_SENT, usual: 0 }],
  ['frequency_penalty', { reason: NOT_SENT, usual: 0 }],
  ['repetition_penalty', { reason: NOT_SENT, usual: 1 }],
  ['response_format', { reason: 'set `output.schema` in the card' }],
  ['structured_schema', { reason: 'set `output.schema` in the card' }],
  ['template_vars', { reason: 'the names that it defines stay in the prompt' }],
  ['mcp_metadata', { reason: 'it is not sent to MCP servers' }],
])
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map(
  [...IGNORED_PARAMS].filter(([key]) => !LOST.has(key) && !PARAMS.has(key)),
)

/** Rows of the documentation for each key of `request_params`. */
export const PARAM_ROWS: readonly FieldRow[] = [
  ...[...PARAMS].map(([key, to]) => ({ key, status: 'translated' as const, to: dottedPath(to) })),
  ...[...LOST].map(([key, { reason }]) => ({ key, status: 'ignored', problem: 'warning', reason }) as const),
  ...[...WITHOUT_EFFECT].map(([key, reason]) => ({ key, status: 'ignored' as const, reason })),
].map((row) => ({ ...row, key: `request_params.${row.key}` }))

/** Applies the rule for `request_params`. */
export function putRequestParams(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  if (!isJsonObject(value)) {
    rewriter.put(['request_params'], value, from)
    return undefined
  }
  for (const [key, param] of Object.entries(value)) {
    const at = [...from, key]
    const to = PARAMS.get(key)
    const lost = LOST.get(key)
    const reason = lost?.reason ?? WITHOUT_EFFECT.get(key)
    if (param === null) rewriter.note({ key: dottedPath(at), status: 'ignored', reason: 'it has no value' })
    else if (to !== undefined) {
      rewriter.put(to, key === 'streaming_timeout' && typeof param === 'number' ? param * 1000 : param, at)
      rewriter.note({ key: dottedPath(at), status: 'translated', to: dottedPath(to) })
    } else if (reason === undefined) rewriter.put(at, param, at)
    else {
      rewriter.note({ key: dottedPath(at), status: 'ignored', reason })
      if (lost !== undefined && param !== lost.usual)
        rewriter.addProblem({
          severity: 'warning',
          code: 'key_without_effect',
          message: `\`${dottedPath(at)}\` has no effect: ${reason}.`,
          at,
        })
    }
  }
  return undefined
}
