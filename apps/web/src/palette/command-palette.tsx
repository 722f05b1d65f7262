import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useEffect, useMemo, useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { AGENTS, APPROVALS } from '../api/queries.ts'
import { isSettled, useRequest } from '../api/use-request.ts'
import { currentActions } from './page-actions.ts'
import { paletteGroups, type PaletteGroup, type PaletteItem } from './palette-items.ts'

/** Delay after the last key press before the server is searched, in ms. */
const SEARCH_DELAY_MS = 150
const LIMIT = 8
/** The longest search text that the server accepts. */
const MAX_TEXT = 200

/** Shows a search over actions, pages, agents, conversations, runs and approvals. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('')
  const [actions] = useState(currentActions)
  const found = useFound(text)
  const groups = useMemo(() => paletteGroups(text, { actions, ...found }), [text, actions, found])
  const choose = ({ href, run }: PaletteItem): void => {
    onClose()
    if (href !== undefined) location.hash = href
    // after the dialog has given the focus back
    else setTimeout(() => run?.())
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-black/45 backdrop-blur-[2px]" />
        <Dialog.Popup
          aria-label="Command palette"
          className="fixed top-[max(1rem,12dvh)] left-1/2 flex max-h-[min(32rem,76dvh)] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-panel shadow-2xl outline-none"
        >
          <Autocomplete.Root
            inline
            open
            items={groups}
            mode="none"
            value={text}
            onValueChange={(value) => setText(value.slice(0, MAX_TEXT))}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={({ label }: PaletteItem) => label}
          >
            <div className="flex shrink-0 items-center gap-2.5 border-b border-line px-4">
              <Search aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <Autocomplete.Input
                autoFocus
                aria-label="Search commands"
                placeholder="Go to a page, an agent, a conversation, or do something"
                className="h-12 min-w-0 grow bg-transparent outline-none placeholder:text-muted"
              />
            </div>
            <Autocomplete.Empty>
              <p className="px-4 py-6 text-center text-small text-muted empty:hidden">
                {groups.length === 0 ? 'Nothing matches.' : ''}
              </p>
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 grow overflow-auto p-1.5 empty:hidden">
              {(group: PaletteGroup) => (
                <Autocomplete.Group key={group.title} items={[...group.items]}>
                  <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-tiny font-semibold text-muted">
                    {group.title}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: PaletteItem) => (
                      <Autocomplete.Item
                        key={item.id}
                        value={item}
                        onClick={() => choose(item)}
                        className="flex min-h-9 cursor-default items-center gap-3 rounded-md px-2.5 py-1 text-small outline-none data-highlighted:bg-accent-wash data-highlighted:text-accent pointer-coarse:min-h-11"
                      >
                        <span dir="auto" className="min-w-0 grow truncate">
                          {item.label}
                        </span>
                        {item.detail === undefined ? null : (
                          <span className="max-w-[45%] shrink-0 truncate text-tiny text-muted">
                            {item.detail}
                          </span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

type Found = Omit<Parameters<typeof paletteGroups>[1], 'actions'>
const NOTHING: Found = { agents: [], approvals: [], sessions: [], runs: [] }

/** Returns the data of the entries. Keeps the last results while the server is searched. */
function useFound(text: string): Found {
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  const search = q === '' ? {} : { q }
  const agents = useRequest(AGENTS)
  const approvals = useRequest(APPROVALS)
  const sessions = useRequest({
    key: `palette sessions ${q}`,
    load: (options) => client.sessions.list({ ...search, limit: LIMIT, ...options }),
  })
  const runs = useRequest(
    q === ''
      ? undefined
      : {
          key: `palette runs ${q}`,
          load: (options) => client.runs.list({ ...search, limit: LIMIT, ...options }),
        },
  )
  const foundSessions = useLast(sessions.value)
  const foundRuns = useLast(runs.value)
  // an entry that is added above another one would move it away from the pointer
  const [isOpened, setIsOpened] = useState(false)
  if (!isOpened && [agents, approvals, sessions].every(isSettled)) setIsOpened(true)
  return useMemo(
    () =>
      isOpened
        ? {
            agents: agents.value?.agents ?? [],
            approvals: approvals.value?.approvals ?? [],
            sessions: foundSessions?.sessions ?? [],
            runs: foundRuns?.runs ?? [],
          }
        : NOTHING,
    [isOpened, agents.value, approvals.value, foundSessions, foundRuns],
  )
}

/** Returns the value, or the last one while it is `undefined`. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}
