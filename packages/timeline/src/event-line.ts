import { agentToolName, type RunEvent } from '@troupe/schema'
import { eventText } from './event-text.ts'
import { plainText } from './plain-text.ts'

/** Characters of a run id in a line: enough to tell runs of one log apart. */
const SHORT_ID = 8
const LINE = 500

/**
 * One line of plain text for a log, or undefined for events that are too small for one (deltas, turns). It starts
 * with the instance, for a child as `child:<toolName>[i]`, and the start of the run id. Texts of models
 * and tools are made plain, so that they can neither drive a terminal nor forge a second line.
 * `max` is the longest line in characters, default 500.
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
