import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  failure,
  hasAnswer,
  outcomeOf,
  type Failure,
  type JsonObject,
  type OutputContract,
  type RunReport,
} from '@troupe/schema'

/** Which call a result belongs to. */
export interface ResultPlace {
  readonly agent: string
  readonly contextId: string
  readonly output: OutputContract
}

/** The answer of a run as the result of the call (D23, D30); a run without an answer is a failed call (D31, R5). `_meta` carries `contextId` (R19). */
export function toCallResult(report: RunReport, place: ResultPlace): CallToolResult {
  const { outcome, output, runId, error } = report
  if (!hasAnswer(outcome)) {
    const reason =
      error ?? failure('child_failed', `${place.agent} ended with ${outcome} and gave no reason.`)
    return failedResult(reason, { ...place, report })
  }
  const notes =
    outcome === 'partial' ? [`Partial answer: ${error?.message ?? 'the agent had not finished.'}`] : []
  return {
    content: [output.text ?? '', ...notes].map(textPart),
    ...(output.value === undefined ? {} : { structuredContent: output.value }),
    _meta: { contextId: place.contextId, runId, outcome },
  }
}

/**
 * A failed call: text that starts with `Error: `, and `{outcome, class, code, message, remediation, agent, runId?, partial?}`. Clients hold structured
 * content to the output schema also where it tells of a failure, so of a tool with such a schema it stands in `_meta.failure`.
 */
export function failedResult(
  reason: Failure,
  { agent, contextId, output, report }: ResultPlace & { readonly report?: RunReport },
): CallToolResult {
  const partial = report?.output.text ?? ''
  const data: JsonObject = {
    outcome: report?.outcome ?? outcomeOf(reason),
    class: reason.class,
    code: reason.code,
    message: reason.message,
    remediation: reason.remediation,
    agent,
    ...(report === undefined ? {} : { runId: report.runId }),
    ...(partial === '' ? {} : { partial }),
  }
  const lines = [
    `Error: ${reason.message}`,
    `Class: ${reason.class}. Code: ${reason.code}. What to do: ${reason.remediation}`,
    ...(partial === '' ? [] : [`What it had written before it ended:\n${partial}`]),
  ]
  const ids = { contextId, ...(report === undefined ? {} : { runId: report.runId }) }
  return {
    isError: true,
    content: lines.map(textPart),
    ...(output.schema === undefined
      ? { structuredContent: data, _meta: ids }
      : { _meta: { ...ids, failure: data } }),
  }
}

function textPart(text: string): CallToolResult['content'][number] {
  return { type: 'text', text }
}
