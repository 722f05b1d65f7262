import type { CardSource } from '@troupe/client'

/** A text that is being edited, and the saved version that it is based on. */
export interface CardDraft {
  readonly text: string
  readonly saved: { readonly text: string; readonly version: string }
}

/** Unsaved texts by agent, so that they survive a visit to another page. */
const drafts = new Map<string, CardDraft>()

/** Returns the unsaved text of an agent, or a draft that equals the card. */
export function draftOf({ agent, text = '', version = '' }: CardSource): CardDraft {
  return drafts.get(agent) ?? { text, saved: { text, version } }
}

/** Keeps a draft, or forgets it if it is saved. */
export function keepDraft(agent: string, draft: CardDraft): void {
  if (isSaved(draft)) drafts.delete(agent)
  else drafts.set(agent, draft)
}

/** Returns true if a draft equals the card it is based on. */
export function isSaved({ text, saved }: CardDraft): boolean {
  return text === saved.text
}
