import type { RunEvent } from '@troupe/schema'
import { runEventBlock } from './run-event-block.ts'

/** Writes the events of one stream, each as {@link runEventBlock} does. */
export type EventWriter = (event: RunEvent) => string

type Delta = Extract<RunEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>

/** A model says its text in hundreds of deltas, which differ in time, text and place: what they have in common is written once for all in a row. */
export function createEventWriter(): EventWriter {
  let last: Delta | undefined
  let common = ''
  return (event) => {
    if (!isDelta(event)) return runEventBlock(event)
    if (last === undefined || !isAlike(last, event)) {
      last = event
      common = commonOf(event)
    }
    return `data: {"time":${event.time},${common},"text":${JSON.stringify(event.text)},"after":${event.after}}\n\n`
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
