import { agentToolName, type ContentPart, type Failure, type RunEvent, type Usage } from '@troupe/schema'
import { formatCost, formatDuration, formatTokens } from './format.ts'
import { plainText } from './plain-text.ts'

/** Characters of a run id in a line: enough to tell runs of one log apart. */
const SHORT_ID = 8
const LINE = 500

/**
 * One line of plain text for a log, or undefined for events that are too small for one (deltas, turns). It starts
 * with the instance, for a child as `child:<toolName>[i]`, and the start of the run id (C56, A23). Texts of models
 * and tools are made plain, so that they can neither drive a terminal nor forge a second line.
 * `max` is the longest line in characters, default 500.
 */
export function eventLine(
  event: RunEvent,
  { max = LINE }: { readonly max?: number } = {},
): string | undefined {
  const text = describe(event)
  return text === undefined ? undefined : plainText(`${prefixOf(event)} ${text}`, { max })
}

function prefixOf(event: RunEvent): string {
  const id = event.runId.replace(/^run_/u, '').slice(0, SHORT_ID)
  const who = event.depth === 0 ? event.instance : `child:${agentToolName(event.instance)}`
  return `${who} ${id}`
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return `started: ${event.input}`
    case 'run-end':
      return describeEnd(event)
    case 'tool-call':
      return `calls ${event.toolName} ${JSON.stringify(event.args)}`
    case 'tool-queued':
      return `${event.toolName} waits for a slot, place ${event.position}`
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
      return `asks for approval of ${event.toolName} ${JSON.stringify(event.args)}`
    case 'approval-result':
      return `${event.toolName} was ${event.decision}${event.reason === undefined ? '' : `: ${event.reason}`}`
    case 'run-waiting':
      return 'waits for approval'
    case 'model-retry':
      return `tries ${event.model} again in ${formatDuration(event.delayMs)} (${event.code}: ${event.message})`
    case 'model-fallback':
      return `goes on with ${event.to}, ${event.from} failed (${event.code})`
    case 'usage':
      return `used ${describeTokens(event.tokens)}, ${formatCost(event.cost)} (${event.model}, ${formatDuration(event.latencyMs)})`
    case 'budget':
      return `has used ${event.used} of ${event.cap} (${event.kind})`
    case 'warning':
      return `warning ${event.code}: ${event.message}`
    case 'log':
      return event.text
    default:
      return undefined
  }
}

function describeEnd(event: Extract<RunEvent, { readonly type: 'run-end' }>): string {
  const { usage, durationMs } = event
  const cost = formatCost(usage.unpriced > 0 ? null : usage.micros / 1_000_000)
  const facts = `${formatDuration(durationMs)}, ${describeTokens(usage)}, ${cost}`
  return `${event.outcome} (${facts})${describeFailure(event.error)}`
}

function describeResult(event: Extract<RunEvent, { readonly type: 'tool-result' }>): string {
  const head = `${event.toolName} ${event.outcome} (${formatDuration(event.durationMs)})`
  if (event.error !== undefined) return `${head}${describeFailure(event.error)}`
  return `${head}: ${event.content.map(describePart).join(' ')}`
}

function describeTokens(usage: Usage): string {
  return `${formatTokens(usage.input)} in, ${formatTokens(usage.output)} out`
}

function describePart(part: ContentPart): string {
  return part.type === 'text' ? part.text : `[${part.mediaType}, ${part.base64.length} base64 digits]`
}

function describeFailure(error: Failure | undefined): string {
  return error === undefined ? '' : `: ${error.code}: ${error.message}`
}
