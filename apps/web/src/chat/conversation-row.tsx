import type { SessionSummary } from '@troupe/client'
import { Ellipsis } from 'lucide-react'
import { lazy, Suspense, useState, type ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { classNames } from '../ui/class-names.ts'
import { clockTime } from '../ui/format.ts'
import { INPUT_CLASSES } from '../ui/field.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import type { MenuActions } from './conversation-menu.tsx'
import { nameOfSession } from './session-rows.ts'

const ConversationMenu = lazy(async () => ({
  default: (await import('./conversation-menu.tsx')).ConversationMenu,
}))

/** Actions of a conversation in the list. */
interface RowActions extends Omit<MenuActions, 'onRenameStart'> {
  readonly onRename: (name: string) => void
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
      <MenuButton
        name={name}
        isTabStop={isTabStop}
        isArchived={session.archived}
        onRenameStart={() => onRenaming(true)}
        {...actions}
      />
    </div>
  )
}

/** Shows the button of the menu. The menu is loaded when the button is pressed for the first time. */
function MenuButton({
  name,
  isTabStop,
  ...actions
}: MenuActions & {
  readonly name: string
  readonly isTabStop: boolean
  readonly isArchived: boolean
}): ReactElement {
  const [isUsed, setUsed] = useState(false)
  const button = (
    <button
      type="button"
      aria-label={`Actions for ${name.slice(0, 60)}`}
      aria-haspopup="menu"
      tabIndex={isTabStop ? 0 : -1}
      className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:text-ink focus-visible:-outline-offset-2 pointer-coarse:size-11"
      onClick={() => setUsed(true)}
    >
      <Ellipsis aria-hidden="true" className="size-4" />
    </button>
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <ConversationMenu trigger={button} {...actions} />
    </Suspense>
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
