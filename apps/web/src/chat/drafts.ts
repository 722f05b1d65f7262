import type { PendingFile } from './attachments.ts'

/** A message that a person is writing. */
export interface Draft {
  readonly text: string
  readonly files: readonly PendingFile[]
}

/** An empty draft. */
export const NO_DRAFT: Draft = Object.freeze({ text: '', files: [] })

/** Texts of drafts are kept in this tab only, until it is closed. */
const KEY = 'troupe.draft.'
/** Longest text that is stored, in characters. */
const MAX_STORED = 100_000
/** Maximum number of conversations whose files are kept. */
const MAX_FILES = 20

const files = new Map<string, readonly PendingFile[]>()

/** Returns the draft of a conversation. */
export function readDraft(key: string): Draft {
  return { text: readText(key), files: files.get(key) ?? [] }
}

/** Keeps the draft of a conversation, the text also over a reload of the page. */
export function keepDraft(key: string, draft: Draft): void {
  files.delete(key)
  if (draft.files.length > 0) files.set(key, draft.files)
  const [oldest] = files.keys()
  if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest)
  try {
    if (draft.text === '') sessionStorage.removeItem(KEY + key)
    else sessionStorage.setItem(KEY + key, draft.text.slice(0, MAX_STORED))
  } catch {
    // The storage is full or disabled: the draft is lost when the page is left.
  }
}

function readText(key: string): string {
  try {
    return sessionStorage.getItem(KEY + key) ?? ''
  } catch {
    return ''
  }
}
