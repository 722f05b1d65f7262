import type { SessionSummary } from '@troupe/client'
import { Archive, MessagesSquare } from 'lucide-react'
import {
  lazy,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
} from 'react'
import { client } from '../api/client.ts'
import { useServerLink } from '../api/server-link.ts'
import { useAction } from '../api/use-request.ts'
import { goTo } from '../route/route.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { offsetsOf, rowsInSight } from '../ui/row-window.ts'
import { SearchInput } from '../ui/search-input.tsx'
import { ConversationRow } from './conversation-row.tsx'
import { exportConversation } from './export-conversation.ts'
import { nameOfSession, sessionRows, type SessionRow } from './session-rows.ts'
import { refreshSessionList, useSessions, type SessionFilter } from './use-sessions.ts'

const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }))

/** Height of a row in pixels, the size of a target on touch screens. */
const ROW = 44
/** Delay after the last key press before a search is sent, in ms. */
const SEARCH_DELAY_MS = 250

/** Lists the conversations with all agents or with one. */
export function ConversationList({
  agents,
  family,
  onOpen,
}: {
  readonly agents: readonly string[]
  /** Ids of the conversation that is shown and of its branches. */
  readonly family: ReadonlySet<string>
  /** Called when a conversation is opened. */
  readonly onOpen: () => void
}): ReactElement {
  const [filter, setFilter] = useState<SessionFilter>({ text: '', agent: '', isArchived: false })
  const text = useDelayed(filter.text)
  const loaded = useSessions({ ...filter, text: filter.text === '' ? '' : text })
  const { isLost } = useServerLink()
  const [renaming, setRenaming] = useState<string>()
  const [deleting, setDeleting] = useState<SessionSummary>()
  const change = useAction(
    ({ sessionId }: SessionSummary, fields: { readonly name?: string; readonly archived?: boolean }) =>
      client.sessions.change(sessionId, fields),
    refreshSessionList,
  )
  const save = useAction((session: SessionSummary, format: 'md' | 'json') =>
    exportConversation({ sessionId: session.sessionId, name: nameOfSession(session) }, format),
  )
  const remove = useAction(
    async (session: SessionSummary) => {
      await client.sessions.delete(session.sessionId)
      return session
    },
    ({ sessionId, agent }) => {
      setDeleting(undefined)
      refreshSessionList()
      if (family.has(sessionId)) goTo({ page: 'chat', agent }, { replace: true })
    },
  )
  const failure = loaded.failure ?? change.failure ?? save.failure
  const { page } = loaded
  return (
    <nav aria-label="Conversations" className="flex h-full min-h-0 flex-col">
      <FilterBar agents={agents} filter={filter} onChange={setFilter} />
      {failure === undefined || isLost ? null : <FailureNotice failure={failure} className="m-2" />}
      {page === undefined ? (
        <p role="status" className="breathing px-4 py-3 text-small text-muted">
          Loading conversations …
        </p>
      ) : null}
      {page?.sessions.length === 0 ? <NoConversations filter={filter} onChange={setFilter} /> : null}
      {page === undefined || page.sessions.length === 0 ? null : (
        <Rows
          sessions={page.sessions}
          family={family}
          renaming={renaming}
          onRenaming={setRenaming}
          onOpen={onOpen}
          onEnd={loaded.readMore}
          onRename={(session, name) => change.run(session, { name })}
          onArchive={(session) => change.run(session, { archived: !session.archived })}
          onDelete={setDeleting}
          onExport={save.run}
        />
      )}
      {loaded.isReadingMore ? (
        <p role="status" className="px-4 py-1 text-tiny text-muted">
          Loading older conversations …
        </p>
      ) : null}
      {deleting === undefined ? null : (
        <Suspense>
          <DeleteDialog
            name={nameOfSession(deleting)}
            failure={remove.failure}
            isDisabled={remove.isBusy || isLost}
            onDelete={() => remove.run(deleting)}
            onClose={() => setDeleting(undefined)}
          />
        </Suspense>
      )}
    </nav>
  )
}

function FilterBar({
  agents,
  filter,
  onChange,
}: {
  readonly agents: readonly string[]
  readonly filter: SessionFilter
  readonly onChange: (filter: SessionFilter) => void
}): ReactElement {
  return (
    <div role="search" className="flex shrink-0 flex-col gap-2 p-2">
      <SearchInput
        label="Find conversations"
        placeholder="Search conversations"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <div className="flex gap-1">
        <Select
          aria-label="Conversations with"
          className="grow"
          value={filter.agent}
          onChange={(event) => onChange({ ...filter, agent: event.target.value })}
        >
          <option value="">All agents</option>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <IconButton
          label="Archived conversations"
          aria-pressed={filter.isArchived}
          className="aria-pressed:bg-accent-wash aria-pressed:text-accent"
          onClick={() => onChange({ ...filter, isArchived: !filter.isArchived })}
        >
          <Archive aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
    </div>
  )
}

function NoConversations({
  filter,
  onChange,
}: {
  readonly filter: SessionFilter
  readonly onChange: (filter: SessionFilter) => void
}): ReactElement {
  const isFiltered = filter.text !== '' || filter.agent !== ''
  if (!isFiltered && !filter.isArchived)
    return (
      <EmptyState icon={<MessagesSquare className="size-5" />} title="No conversations yet">
        Send a message. Your conversations are listed here.
      </EmptyState>
    )
  return (
    <EmptyState
      title={filter.isArchived ? 'Nothing in the archive' : 'No matching conversations'}
      action={
        <Button onClick={() => onChange({ text: '', agent: '', isArchived: false })}>
          Show all conversations
        </Button>
      }
    />
  )
}

/** Shows the rows that are in sight. Arrow keys move between them, F2 renames and Delete deletes. */
function Rows({
  sessions,
  family,
  renaming,
  onRenaming,
  onOpen,
  onEnd,
  onRename,
  onArchive,
  onDelete,
  onExport,
}: {
  readonly sessions: readonly SessionSummary[]
  readonly family: ReadonlySet<string>
  readonly renaming: string | undefined
  readonly onRenaming: (sessionId: string | undefined) => void
  readonly onOpen: () => void
  /** Called when the last rows come into sight. */
  readonly onEnd: () => void
  readonly onRename: (session: SessionSummary, name: string) => void
  readonly onArchive: (session: SessionSummary) => void
  readonly onDelete: (session: SessionSummary) => void
  readonly onExport: (session: SessionSummary, format: 'md' | 'json') => void
}): ReactElement {
  const container = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ scrollTop: 0, height: 800 })
  const [active, setActive] = useState<string>()
  const now = Date.now()
  const rows = useMemo(() => sessionRows(sessions, Date.now()), [sessions])
  const offsets = useMemo(() => offsetsOf(rows.map(() => ROW)), [rows])
  const { start, end } = rowsInSight(offsets, { top: view.scrollTop, height: view.height })
  const isAtEnd = end >= rows.length
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])
  useEffect(() => {
    const element = container.current
    if (element === null) return undefined
    const measure = (): void => setView({ scrollTop: element.scrollTop, height: element.clientHeight })
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])
  const tabStop = tabStopOf(rows, active ?? rows.find(({ key }) => family.has(key))?.key)
  const focusRow = (index: number): void => {
    const row = rows[index]
    const element = container.current
    if (row?.kind !== 'session' || element === null) return
    const top = index * ROW
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + ROW > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW - element.clientHeight
    setActive(row.key)
    const focus = (): boolean => {
      const link = element.querySelector<HTMLElement>(`[data-session="${CSS.escape(row.key)}"]`)
      link?.focus()
      return link !== null
    }
    // A row that is not drawn yet is in the next frame.
    if (!focus()) requestAnimationFrame(focus)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = rows.findIndex(({ key }) => key === tabStop)
    const row = rows[index]
    if (row?.kind !== 'session' || !(event.target as Element).matches('[data-session]')) return
    const act = KEYS[event.key]
    if (act === undefined) return
    event.preventDefault()
    if (act === 'rename') onRenaming(row.key)
    else if (act === 'delete') onDelete(row.session)
    else focusRow(nextRow(rows, index, act))
  }
  return (
    <div ref={container} className="relative min-h-0 grow overflow-auto px-2 pb-2" onKeyDown={onKeyDown}>
      <ul className="relative" style={{ height: rows.length * ROW }}>
        {rows.slice(start, end).map((row, offset) => (
          <li
            key={row.key}
            className="absolute inset-x-0 top-0"
            style={{ height: ROW, transform: `translateY(${(start + offset) * ROW}px)` }}
          >
            {row.kind === 'day' ? (
              <h2 className="flex h-full items-end px-2.5 pb-1 text-tiny font-semibold text-muted">
                {row.label}
              </h2>
            ) : (
              <ConversationRow
                session={row.session}
                isCurrent={family.has(row.key)}
                isTabStop={row.key === tabStop}
                isRenaming={row.key === renaming}
                now={now}
                onRenaming={(isRenaming) => {
                  onRenaming(isRenaming ? row.key : undefined)
                  if (!isRenaming) focusRow(start + offset)
                }}
                onFocus={() => setActive(row.key)}
                onOpen={onOpen}
                onRename={(name) => onRename(row.session, name)}
                onArchive={() => onArchive(row.session)}
                onDelete={() => onDelete(row.session)}
                onExport={(format) => onExport(row.session, format)}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

const KEYS: Readonly<Record<string, 'rename' | 'delete' | 'up' | 'down' | 'first' | 'last'>> = {
  F2: 'rename',
  Delete: 'delete',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
}

/** Returns the index of the next conversation in a direction; the same one at the end. */
function nextRow(
  rows: readonly SessionRow[],
  index: number,
  direction: 'up' | 'down' | 'first' | 'last',
): number {
  const isSession = (row: SessionRow): boolean => row.kind === 'session'
  if (direction === 'first') return rows.findIndex(isSession)
  if (direction === 'last') return rows.findLastIndex(isSession)
  const step = direction === 'up' ? -1 : 1
  let next = index + step
  while (rows[next]?.kind === 'day') next += step
  return rows[next] === undefined ? index : next
}

/** Returns the conversation that the Tab key reaches: the given one, or the first. */
function tabStopOf(rows: readonly SessionRow[], wanted: string | undefined): string | undefined {
  if (wanted !== undefined && rows.some(({ key }) => key === wanted)) return wanted
  return rows.find(({ kind }) => kind === 'session')?.key
}

/** Returns the value after it has not changed for {@link SEARCH_DELAY_MS}. */
function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return delayed
}
