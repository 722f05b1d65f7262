import type { Json, Message } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** The value of a `context:` step: what the model was shown of the conversation once that had been shortened. */
interface KeptView {
  readonly dropped: number
  /** Places in the conversation, and what stands in the view alone. */
  readonly view: readonly (number | { readonly note: Message } | { readonly trimmed: Message })[]
}

/** What stands in a view and not in its conversation. */
const notes = new WeakSet<Message>()

/** A message that stands for those that are left out. */
export function markNote(message: Message): Message {
  notes.add(message)
  return message
}

/** True for a message that stands for others. */
export function isNote(message: Message): boolean {
  return notes.has(message)
}

/** The view of a run as the step of its turn: a run that is resumed goes on with it, and pays for no summary again. */
export function viewStep(run: Run): { readonly key: string; readonly value: Json } {
  const places = new Map(run.messages.map((message, index) => [message, index]))
  const view = run.view.map(
    (message) => places.get(message) ?? (isNote(message) ? { note: message } : { trimmed: message }),
  )
  return { key: `context:${run.turn}`, value: { dropped: run.dropped, view } as unknown as Json }
}

/** Takes up the view that this turn had before the run was interrupted. */
export function recallView(run: Run): void {
  const kept = run.journal?.step(`context:${run.turn}`) as KeptView | undefined
  if (kept === undefined) return
  run.dropped = kept.dropped
  run.reported = undefined
  run.view = kept.view.flatMap((item) => {
    if (typeof item === 'number') return run.messages[item] ?? []
    return 'note' in item ? markNote(Object.freeze(item.note)) : Object.freeze(item.trimmed)
  })
}
