import { useSyncExternalStore, type ReactElement } from 'react'

/** The texts that a screen reader reads out. */
interface Announcements {
  /** Read out when the reader is idle. */
  readonly status: string
  /** Read out at once. */
  readonly alert: string
}

let announcements: Announcements = { status: '', alert: '' }
const listeners = new Set<() => void>()

/** Invisible. Added to a text that is announced twice, because an unchanged text is not read out again. */
const AGAIN = '\u{200B}'

function announceAs(kind: keyof Announcements, text: string): void {
  const isRepeated = text !== '' && announcements[kind] === text
  announcements = { ...announcements, [kind]: isRepeated ? text + AGAIN : text }
  for (const listener of listeners) listener()
}

/** Lets a screen reader read out a text. */
export function announce(text: string): void {
  announceAs('status', text)
}

/** Lets a screen reader read out an error at once. */
export function announceError(text: string): void {
  announceAs('alert', text)
}

/** Holds the texts for screen readers. It is always in the page, because a region that appears with its text is often not read out. */
export function Announcer(): ReactElement {
  const { status, alert } = useSyncExternalStore(subscribe, () => announcements)
  return (
    <div className="sr-only">
      <p role="status">{status}</p>
      <p role="alert">{alert}</p>
    </div>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
