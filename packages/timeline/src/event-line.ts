import { agentToolName, type RunEvent } from '@troupe/schema'
import { eventText } from './event-text.ts'
import { plainText } from './plain-text.ts'

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
