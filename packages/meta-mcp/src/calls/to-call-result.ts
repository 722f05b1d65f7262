import type { CallToolResult } from '@modelcontextprotocol/server'
import {
  failure,
  hasAnswer,
  outcomeOf,
  type Citation,
  type Failure,
  type JsonObject,
  type OutputContract,
  type RunReport,
} from '@troupe/schema'
import { fileContent } from './file-content.ts'

/** Agent and session of a result. */
export interface ResultContext {
  readonly agent: string
  readonly contextId: string
  readonly output: OutputContract
}

/** The part of the report of a run that its result needs. */
type EndedRun = Pick<RunReport, 'outcome' | 'output' | 'runId' | 'error'>

/**
 * Converts the report of a run to the result of its call. A run without an answer becomes a failed result.
 * `_meta` contains `contextId`.
 */
export function toCallResult(report: EndedRun, resultContext: ResultContext): CallToolResult {
  const { outcome, output, runId, error } = report
  if (!hasAnswer(outcome)) {
    const reason =
      error ??
      failure(
        'child_failed',
        `${resultContext.agent} ended with the outcome ${outcome} and without an error message.`,
      )
    return failedResult(reason, { ...resultContext, report })
  }
  const notes =
    outcome === 'partial' ? [`Partial answer: ${error?.message ?? 'the agent did not finish.'}`] : []
  const { text = '', files = [], citations = [] } = output
  const texts = text === '' && files.length > 0 ? notes : [text, ...notes]
  return {
    content: [
      ...texts.map(textPart),
      ...files.map((file, index) => fileContent(file, { runId, index })),
      ...citedPages(citations),
    ],
    ...(output.value === undefined ? {} : { structuredContent: output.value }),
    _meta: { contextId: resultContext.contextId, runId, outcome },
  }
}

/**
 * Creates the result of a failed call: text that starts with `Error: `, and `{outcome, class, code, message,
 * remediation, retryAt?, agent, runId?, partial?}` as structured content. If the tool has an output schema, which
 * clients apply to failures too, the data is in `_meta.failure` instead.
 */
export function failedResult(
  reason: Failure,
  { agent, contextId, output, report }: ResultContext & { readonly report?: EndedRun },
): CallToolResult {
  const partial = report?.output.text ?? ''
  const data: JsonObject = {
    outcome: report?.outcome ?? outcomeOf(reason),
    class: reason.class,
    code: reason.code,
    message: reason.message,
    remediation: reason.remediation,
    ...(reason.retryAt === undefined ? {} : { retryAt: reason.retryAt }),
    agent,
    ...(report === undefined ? {} : { runId: report.runId }),
    ...(partial === '' ? {} : { partial }),
  }
  const lines = [
    `Error: ${reason.message}`,
    `Class: ${reason.class}. Code: ${reason.code}. What to do: ${reason.remediation}`,
    ...(partial === '' ? [] : [`Output before it ended:\n${partial}`]),
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

/** Returns a link for each cited page. */
function citedPages(citations: readonly Citation[]): CallToolResult['content'] {
  const pages = new Map(citations.map(({ url, title = url }) => [url, title]))
  return [...pages].map(([uri, name]) => ({ type: 'resource_link', uri, name }))
}

function textPart(text: string): CallToolResult['content'][number] {
  return { type: 'text', text }
}
