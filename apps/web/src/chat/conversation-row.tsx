import type { SessionSummary } from '@troupe/client'
import { Menu } from '@base-ui/react/menu'
import { Archive, ArchiveRestore, Download, Ellipsis, FileJson, Pencil, Trash2 } from 'lucide-react'
import { useState, type ComponentProps, type ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { clockTime } from '../ui/format.ts'
import { INPUT_CLASSES } from '../ui/field.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { nameOfSession } from './session-rows.ts'

/** Actions of a conversation in the list. */
export interface RowActions {
  readonly onRename: (name: string) => void
  readonly onArchive: () => void
  readonly onDelete: () => void
  readonly onExport: (format: 'md' | 'json') => void
}

/** The longest name that the server accepts. */
const MAX_NAME = 200

const OPEN_STATES: ReadonlySet<SessionSummary['state']> = new Set([
  'queued',
  'running',
  'waiting',
  'interrupted',
])

/** Shows a conversation in the list, with a menu. Its name can be edited in place. */
export function ConversationRow({
  session,
  isCurrent,
  isTabStop,
  isRenaming,
  now,
  onRenaming,
  onFocus,
  onOpen,
  ...actions
}: RowActions & {
  readonly session: SessionSummary
  readonly isCurrent: boolean
  /** True for the one row that the Tab key reaches. */
  readonly isTabStop: boolean
  readonly isRenaming: boolean
  readonly now: number
  readonly onRenaming: (isRenaming: boolean) => void
  readonly onFocus: () => void
  readonly onOpen: () => void
}): ReactElement {
  const { sessionId, agent, changedAt, state } = session
  const name = nameOfSession(session)
  if (isRenaming)
    return (
      <NameEditor
        name={name}
        onDone={(next) => {
          if (next !== undefined && next !== name) actions.onRename(next)
          onRenaming(false)
        }}
      />
    )
  return (
    <div
      className={classNames(
        'group flex h-full items-center rounded-md',
        isCurrent ? 'bg-accent-wash' : 'hover:bg-raised',
      )}
    >
      <a
        href={hrefOf({ page: 'chat', agent, sessionId })}
        data-session={sessionId}
        aria-current={isCurrent ? 'page' : undefined}
        tabIndex={isTabStop ? 0 : -1}
        onFocus={onFocus}
        onClick={onOpen}
        className="flex h-full min-w-0 grow flex-col justify-center rounded-md pl-2.5 focus-visible:-outline-offset-2"
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <span
            dir="auto"
            className={classNames('truncate text-small', isCurrent && 'font-medium text-accent')}
          >
            {name}
          </span>
          {OPEN_STATES.has(state) ? <StateBadge compact state={state} /> : null}
        </span>
        <span className="flex min-w-0 gap-1.5 text-tiny text-muted">
          <span className="truncate">{agent}</span>
          <span className="ml-auto shrink-0 tabular">{clockTime(changedAt, now)}</span>
        </span>
      </a>
      <RowMenu
        name={name}
        isTabStop={isTabStop}
        isArchived={session.archived}
        onRenameStart={() => onRenaming(true)}
        {...actions}
      />
    </div>
  )
}

function RowMenu({
  name,
  isTabStop,
  isArchived,
  onRenameStart,
  onArchive,
  onDelete,
  onExport,
}: Omit<RowActions, 'onRename'> & {
  readonly name: string
  readonly isTabStop: boolean
  readonly isArchived: boolean
  readonly onRenameStart: () => void
}): ReactElement {
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={`Actions for ${name.slice(0, 60)}`}
        tabIndex={isTabStop ? 0 : -1}
        className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:text-ink focus-visible:-outline-offset-2 pointer-coarse:size-11"
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-20">
          <Menu.Popup className="min-w-48 rounded-lg border border-line bg-panel p-1 shadow-lg outline-none">
            <Item onClick={onRenameStart} keys="F2">
              <Pencil aria-hidden="true" className="size-4" /> Rename
            </Item>
            <Item onClick={onArchive}>
              {isArchived ? (
                <>
                  <ArchiveRestore aria-hidden="true" className="size-4" /> Restore
                </>
              ) : (
                <>
                  <Archive aria-hidden="true" className="size-4" /> Archive
                </>
              )}
            </Item>
            <Item onClick={() => onExport('md')}>
              <Download aria-hidden="true" className="size-4" /> Save as Markdown
            </Item>
            <Item onClick={() => onExport('json')}>
              <FileJson aria-hidden="true" className="size-4" /> Save as JSON
            </Item>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Item onClick={onDelete} isDanger keys="Del">
              <Trash2 aria-hidden="true" className="size-4" /> Delete …
            </Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Item({
  isDanger = false,
  keys,
  children,
  ...rest
}: ComponentProps<typeof Menu.Item> & {
  readonly isDanger?: boolean
  readonly keys?: string
}): ReactElement {
  return (
    <Menu.Item
      {...rest}
      className={classNames(
        'flex h-8 cursor-default items-center gap-2.5 rounded-md px-2 text-small outline-none data-highlighted:bg-raised pointer-coarse:h-11',
        isDanger && 'text-bad',
      )}
    >
      {children}
      {keys === undefined ? null : <kbd className="ml-auto font-sans text-tiny text-muted">{keys}</kbd>}
    </Menu.Item>
  )
}

/** Edits a name. Enter and leaving the field save it, Escape does not. */
function NameEditor({
  name,
  onDone,
}: {
  readonly name: string
  /** Called with the new name, or `undefined` if it was not changed. */
  readonly onDone: (name: string | undefined) => void
}): ReactElement {
  const [text, setText] = useState(name.slice(0, MAX_NAME))
  return (
    <input
      autoFocus
      dir="auto"
      aria-label="Name of the conversation"
      maxLength={MAX_NAME}
      value={text}
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onDone(text.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        event.stopPropagation()
        if (event.key === 'Enter') onDone(text.trim())
        if (event.key === 'Escape') onDone(undefined)
      }}
      className={classNames(INPUT_CLASSES, 'h-full')}
    />
  )
}
