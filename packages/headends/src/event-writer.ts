import type { RunEvent } from '@troupe/schema'
import { runEventBlock } from './run-event-block.ts'

/** Writes the events of one stream, each as {@link runEventBlock} does. */
export type EventWriter = (event: RunEvent) => string

type Delta = Extract<RunEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>

/** A model says its text in hundreds of deltas, which differ in little else than that: what is around it is written once for as many as have it in common. */
export function createEventWriter(): EventWriter {
  let last: Delta | undefined
  let before = ''
  let after = ''
  return (event) => {
    if (!isDelta(event)) return runEventBlock(event)
    if (last === undefined || !isAlike(last, event)) {
      last = event
      before = beforeText(event)
      after = `,"after":${event.after}}\n\n`
    }
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

/** In all but the text. */
function isAlike(a: Delta, b: Delta): boolean {
  return (
    a.time === b.time &&
    a.after === b.after &&
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

function beforeText({ text: _text, after: _after, ...head }: Delta): string {
  return `data: ${JSON.stringify(head).slice(0, -1)},"text":`
}
