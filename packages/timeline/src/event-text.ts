import {
  agentToolName,
  endSentence,
  readClientToolName,
  type Failure,
  type Outcome,
  type RunEvent,
  type Usage,
  type ContentPart,
} from '@troupe/schema'
import { formatCost, formatDuration, formatTokens, toolLabel } from './format.ts'
import { plainText } from './plain-text.ts'

/**
 * Describes an event without its run, or returns `undefined` for events that do not get a line (deltas,
 * turns). Texts of models and tools are included as they came, so the caller must sanitize the result before
 * printing it.
 */
export function eventText(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return `started: ${event.input}`
    case 'run-end':
      return describeEnd(event)
    case 'tool-call':
      return `calls ${toolLabel(event)} ${JSON.stringify(event.args)}`
    case 'tool-queued':
      return `${toolLabel(event)} is queued at position ${event.position}`
    case 'tool-start':
      return event.attempt === 1 ? undefined : `calls ${event.toolName} again, attempt ${event.attempt}`
    case 'tool-progress':
      return `${event.toolName}: ${event.text}`
    case 'tool-result':
      return describeResult(event)
    default:
      return describeNotice(event)
  }
}

function describeNotice(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'approval-request':
      if (event.client !== undefined)
        return `waits for its client to call ${readClientToolName(event.toolName)}`
      return event.asks === undefined
        ? `asks for approval of ${event.toolName} ${JSON.stringify(event.args)}`
        : `asks: ${event.asks.question}`
    case 'approval-result':
      return describeDecision(event)
    case 'run-waiting':
      return 'waits for an answer from a person'
    case 'model-retry':
      return `retries ${event.model} in ${formatDuration(event.delayMs)} (${event.code}: ${event.message})`
    case 'model-fallback':
      return `switches to ${event.to} because ${event.from} failed (${event.code})`
    case 'usage':
      return `used ${describeTokens(event.tokens)}, ${formatCost(event.cost)} (${event.model}, ${formatDuration(event.latencyMs)})`
    case 'budget':
      return `has used ${event.used} of ${event.cap} (${event.kind})`
    case 'context-shortened':
      return describeShortening(event)
    case 'warning':
      return `warning ${event.code}: ${event.message}`
    case 'log':
      return event.text
    default:
      return undefined
  }
}

function describeDecision({
  toolName,
  decision,
  reason,
  answer,
}: Extract<RunEvent, { readonly type: 'approval-result' }>): string {
  if (answer !== undefined) return `${toolName} was answered: ${answer}`
  return `${toolName} was ${decision}${reason === undefined ? '' : `: ${reason}`}`
}

function describeShortening(event: Extract<RunEvent, { readonly type: 'context-shortened' }>): string {
  const { droppedMessages, trimmedResults, tokensBefore, tokensAfter, summary } = event
  const parts = [
    ...(droppedMessages === 0 ? [] : [`${droppedMessages} messages omitted`]),
    ...(trimmedResults === 0 ? [] : [`${trimmedResults} results truncated`]),
  ]
  const size = `${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens`
  const summaryText = summary === undefined ? '' : `: ${summary}`
  return `shortened its conversation from about ${size}, ${parts.join(' and ')}${summaryText}`
}

function describeEnd(event: Extract<RunEvent, { readonly type: 'run-end' }>): string {
  const { usage, durationMs } = event
  const cost = formatCost(usage.unpriced > 0 ? null : usage.micros / 1_000_000)
  const facts = `${formatDuration(durationMs)}, ${describeTokens(usage)}, ${cost}`
  return `${outcomeLabel(event)} (${facts})${describeFailure(event.error)}`
}

function describeResult(event: Extract<RunEvent, { readonly type: 'tool-result' }>): string {
  const head = `${toolLabel(event)} ${outcomeLabel(event)} (${formatDuration(event.durationMs)})`
  if (event.error !== undefined) return `${head}${describeFailure(event.error)}`
  return `${head}: ${contentText(event.content)}`
}

/** Returns the outcome, or `interrupted` for a run that was stopped and can be resumed. */
function outcomeLabel({ outcome, error }: { readonly outcome: Outcome; readonly error?: Failure }): string {
  return error?.code === 'run_interrupted' ? 'interrupted' : outcome
}

function describeTokens(usage: Usage): string {
  return `${formatTokens(usage.input)} in, ${formatTokens(usage.output)} out`
}

function describeFailure(error: Failure | undefined): string {
  return error === undefined ? '' : `: ${failureText(error)}`
}

/**
 * Returns the code and the message of a failure. For an authentication failure it adds the remediation,
 * because only that names the location of the key.
 */
export function failureText({ class: kind, code, message, remediation }: Failure): string {
  if (kind !== 'auth' || remediation === '') return `${code}: ${message}`
  return `${code}: ${endSentence(message)} ${remediation}`
}

/** Length of a run id in a line: enough to distinguish the runs of one log. */
const SHORT_ID = 8
const LINE = 500

/**
 * Formats an event as one line of plain text for a log. Returns `undefined` for events that do not get a line
 * (deltas, turns). The line starts with the instance, for a child run as `child:<toolName>[i]`, and the start
 * of the run id. Texts of models and tools are sanitized, so that they can neither control a terminal nor
 * forge a second line. `max` is the maximum length in characters, default 500.
 */
export function eventLine(
  event: RunEvent,
  { max = LINE }: { readonly max?: number } = {},
): string | undefined {
  const text = eventText(event)
  return text === undefined ? undefined : plainText(`${prefixOf(event)} ${text}`, { max })
}

function prefixOf(event: RunEvent): string {
  const id = event.runId.replace(/^run_/u, '').slice(0, SHORT_ID)
  if (event.depth === 0) return `${event.instance} ${id}`
  const { agent, instance, calledAs = agentToolName(agent) } = event
  return `child:${calledAs}${instance.slice(agent.length)} ${id}`
}

/**
 * Joins the content of a tool result into one text. Other parts are replaced by their media type and size.
 */
export function contentText(content: readonly ContentPart[]): string {
  return content.map(partText).join(' ')
}

function partText(part: ContentPart): string {
  return part.type === 'text' ? part.text : `[${part.mediaType}, ${part.base64.length} base64 digits]`
}
