import type { Json, Message } from '@troupe/schema'
import type { Run } from '../session/run.ts'

/** The value of a `context:` step: the shortened conversation as sent to the model. */
interface StoredView {
  readonly dropped: number
  /** Indexes of messages in the conversation, or messages that exist only in the view. */
  readonly view: readonly (number | { readonly note: Message } | { readonly trimmed: Message })[]
}

/** Messages that replace dropped ones. */
const notes = new WeakSet<Message>()

/** Marks a message as a replacement for dropped ones. */
export function markNote(message: Message): Message {
  notes.add(message)
  return message
}

/** Returns true for a message that replaces dropped ones. */
export function isNote(message: Message): boolean {
  return notes.has(message)
}

/** Creates the step that stores the view of a turn, so that a resumed run need not summarise again. */
export function viewStep(run: Run): { readonly key: string; readonly value: Json } {
  const indexes = new Map(run.messages.map((message, index) => [message, index]))
  const view = run.view.map(
    (message) => indexes.get(message) ?? (isNote(message) ? { note: message } : { trimmed: message }),
  )
  return { key: `context:${run.turn}`, value: { dropped: run.dropped, view } as unknown as Json }
}

/** Restores the view that this turn had before the run was interrupted. */
export function recallView(run: Run): void {
  const kept = run.journal?.step(`context:${run.turn}`) as StoredView | undefined
  if (kept === undefined) return
  run.dropped = kept.dropped
  run.reportedTokens = undefined
  run.view = kept.view.flatMap((item) => {
    if (typeof item === 'number') return run.messages[item] ?? []
    return 'note' in item ? markNote(Object.freeze(item.note)) : Object.freeze(item.trimmed)
  })
}
