import type { RunEvent } from '@troupe/schema'
import { runEventBlock } from './run-event-block.ts'
import { AFTER_DATA, BEFORE_DATA } from './sse-block.ts'

/** Formats the events of one stream, with the same result as {@link runEventBlock}. */
export type EventWriter = (event: RunEvent) => string

type Delta = Extract<RunEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>

/**
 * Creates a writer that reuses the JSON of unchanged fields. A model emits hundreds of text deltas in a row
 * that differ only in their text and usually their time.
 */
export function createEventWriter(): EventWriter {
  let last: Delta | undefined
  let common = ''
  let before = ''
  let after = ''
  return (event) => {
    if (!isDelta(event)) return runEventBlock(event)
    const known = last !== undefined && isAlike(last, event) ? last : undefined
    if (known === undefined) common = commonOf(event)
    if (known?.time !== event.time) before = `${BEFORE_DATA}{"time":${event.time},${common},"text":`
    if (known?.after !== event.after) after = `,"after":${event.after}}${AFTER_DATA}`
    last = event
    return before + JSON.stringify(event.text) + after
  }
}

/** Returns true for a transient delta that names the `seq` before it. */
function isDelta(event: RunEvent): event is Delta {
  return (
    (event.type === 'text-delta' || event.type === 'reasoning-delta') &&
    event.seq === undefined &&
    event.after !== undefined
  )
}

/** Returns true if the deltas differ at most in time, text and `after`. */
function isAlike(a: Delta, b: Delta): boolean {
  return (
    a.type === b.type &&
    a.runId === b.runId &&
    a.rootRunId === b.rootRunId &&
    a.parentRunId === b.parentRunId &&
    a.callId === b.callId &&
    a.agent === b.agent &&
    a.instance === b.instance &&
    a.depth === b.depth
  )
}

function commonOf({ time: _time, text: _text, after: _after, ...common }: Delta): string {
  return JSON.stringify(common).slice(1, -1)
}
