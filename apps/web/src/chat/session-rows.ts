import type { SessionPage, SessionSummary } from '@troupe/client'

/** A row of the list of conversations. All rows have the same height. */
export type SessionRow =
  | { readonly kind: 'day'; readonly key: string; readonly label: string }
  | { readonly kind: 'session'; readonly key: string; readonly session: SessionSummary }

/** Returns the name of a conversation: its own, or its first message. */
export function nameOfSession({ name, title }: Pick<SessionSummary, 'name' | 'title'>): string {
  return name ?? (title.trim() === '' ? 'Untitled' : title)
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })
const DAY_MS = 24 * 60 * 60 * 1000

/** Groups conversations by the day of their last message. Expects the order of the server, newest first. */
export function sessionRows(sessions: readonly SessionSummary[], now: number): readonly SessionRow[] {
  const rows: SessionRow[] = []
  let last = ''
  for (const session of sessions) {
    const label = dayLabel(session.changedAt, now)
    if (label !== last) rows.push({ kind: 'day', key: `day ${label}`, label })
    last = label
    rows.push({ kind: 'session', key: session.sessionId, session })
  }
  return rows
}

/** Returns the name of the day or period of a time. Both times are in ms since 1970. */
export function dayLabel(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (time >= today) return 'Today'
  // rounded, because a day with a change of the clock has 23 or 25 hours
  const days = Math.round((today - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS)
  if (days === 1) return 'Yesterday'
  if (days < 7) return 'Last 7 days'
  if (days < 30) return 'Last 30 days'
  return MONTH.format(time)
}

/** Adds a page to the loaded conversations. One that is known stays at its place, because its run is newer. */
export function addSessionPage(loaded: SessionPage, page: SessionPage): SessionPage {
  const known = new Set(loaded.sessions.map(({ sessionId }) => sessionId))
  const sessions = [...loaded.sessions, ...page.sessions.filter(({ sessionId }) => !known.has(sessionId))]
  return page.next === undefined ? { sessions } : { sessions, next: page.next }
}

/**
 * Replaces the start of the loaded conversations with the newest page. Keeps the older ones that the page does not
 * have, and the position of the next page.
 */
export function refreshSessions(loaded: SessionPage, newest: SessionPage): SessionPage {
  if (newest.next === undefined || loaded.sessions.length <= newest.sessions.length) return newest
  const oldest = newest.sessions.at(-1)?.changedAt ?? Infinity
  const older = loaded.sessions.filter(({ changedAt }) => changedAt < oldest)
  const next = loaded.next === undefined ? {} : { next: loaded.next }
  return addSessionPage({ sessions: newest.sessions }, { sessions: older, ...next })
}
