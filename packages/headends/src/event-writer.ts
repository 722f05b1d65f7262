import type { RunEvent } from '@troupe/schema'
import { runEventBlock } from './run-event-block.ts'
import { AFTER_DATA, BEFORE_DATA } from './sse-block.ts'

/** Writes the events of one stream, each as {@link runEventBlock} does. */
export type EventWriter = (event: RunEvent) => string

type Delta = Extract<RunEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>

/**
 * A model says its text in hundreds of deltas, which differ in text, mostly in time, and hardly ever in place: what they have in common is written once for all
 * in a row.
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

/** One that is not kept, and has its place. */
function isDelta(event: RunEvent): event is Delta {
  return (
    (event.type === 'text-delta' || event.type === 'reasoning-delta') &&
    event.seq === undefined &&
    event.after !== undefined
  )
}

/** Of the same run and kind. */
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
