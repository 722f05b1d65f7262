import { isJsonObject, type Json } from '@troupe/schema'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldRow,
} from '@troupe/cards/formats'

const PARAMS: ReadonlyMap<string, FieldPath> = new Map([
  ['temperature', ['temperature']],
  ['topP', ['topP']],
  ['top_p', ['topP']],
  ['maxTokens', ['maxOutputTokens']],
  ['max_tokens', ['maxOutputTokens']],
  ['stopSequences', ['stopSequences']],
  ['stop_sequences', ['stopSequences']],
  ['max_iterations', ['limits', 'maxTurns']],
  ['parallel_tool_calls', ['limits', 'parallelToolCalls']],
  ['streaming_timeout', ['limits', 'idleTimeout']],
])
const NOT_SENT = 'this setting is not sent to providers'
const OF_PROGRAMS = 'only programs that make the request use it'
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ...['top_k', 'min_p', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'service_tier'].map(
    (key) => [key, NOT_SENT] as const,
  ),
  ...[
    'task',
    'meta',
    'metadata',
    'mcp_metadata',
    'batch_context',
    'tool_execution_handler',
    'modelPreferences',
  ].map((key) => [key, OF_PROGRAMS] as const),
  ['emit_loop_progress', 'see `--events`'],
  ['response_format', 'see `output`'],
  ['structured_schema', 'see `output.schema`'],
  ['structured_tool_policy', 'see `output`'],
  ['template_vars', 'placeholders in prompts are not replaced'],
])
/** Keys that change what the agent does. */
const LOST: ReadonlyMap<string, string> = new Map([
  ['tool_result_mode', 'the model always reads the results of its tools and answers'],
  ['systemPrompt', 'the prompt is the text of the card'],
  ['model', 'set `model` in the card'],
  ['use_history', 'an agent sees the session of its caller'],
])

/** Rows of the documentation for each key of `request_params`. */
export const PARAM_ROWS: readonly FieldRow[] = [
  ...[...PARAMS].map(([key, to]) => ({ key, status: 'translated' as const, to: dottedPath(to) })),
  ...[...LOST, ...WITHOUT_EFFECT].map(([key, reason]) => ({ key, status: 'ignored' as const, reason })),
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
    const lost = key === 'tool_result_mode' && param === 'postprocess' ? undefined : LOST.get(key)
    const reason = lost ?? WITHOUT_EFFECT.get(key) ?? LOST.get(key)
    if (param === null) rewriter.note({ key: dottedPath(at), status: 'ignored', reason: 'it has no value' })
    else if (to !== undefined) {
      rewriter.put(to, key === 'streaming_timeout' && typeof param === 'number' ? param * 1000 : param, at)
      rewriter.note({ key: dottedPath(at), status: 'translated', to: dottedPath(to) })
    } else if (reason === undefined) rewriter.put(at, param, at)
    else {
      rewriter.note({ key: dottedPath(at), status: 'ignored', reason })
      if (lost !== undefined)
        rewriter.addProblem({
          severity: 'warning',
          code: 'key_without_effect',
          message: `\`${dottedPath(at)}\` has no effect: ${lost}.`,
          at,
        })
    }
  }
  return undefined
}
