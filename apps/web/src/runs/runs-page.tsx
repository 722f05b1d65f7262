import { ListTree } from 'lucide-react'
import { use, useEffect, useMemo, useState, type ReactElement } from 'react'
import { AnswerableContext } from '../api/answerable.ts'
import { toRunListOptions } from '../api/queries.ts'
import { useServerLink } from '../api/server-link.ts'
import { goTo, NO_FILTER, type RunListFilter } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { CompareSelectionBar, useCompareSelection } from './compare-selection.tsx'
import { RunList } from './run-list.tsx'
import { useRunPages } from './use-run-pages.ts'

/** Interval at which the list is loaded while the stream of changes fails, in ms. */
const POLL_MS = 5000
const PAGE = 100
/** Delay after the last key press before a search is sent, in ms. */
const SEARCH_DELAY_MS = 250

/** Lists the runs in the store, newest first, searched by the server and loaded page by page. */
export function RunsPage({
  agents,
  filter = NO_FILTER,
}: {
  /** The names of the served agents. */
  readonly agents: readonly string[]
  /** The filter in the URL, so that it survives a reload. */
  readonly filter?: RunListFilter | undefined
}): ReactElement {
  const selection = useCompareSelection()
  const setFilter = (next: RunListFilter): void => goTo({ page: 'runs', filter: next }, { replace: true })
  const typed = useDebouncedValue(filter.text, SEARCH_DELAY_MS)
  const text = filter.text === '' ? '' : typed
  const { agent, state } = filter
  const query = useMemo(() => toRunListOptions({ text, agent, state }), [text, agent, state])
  const pages = useRunPages(query, { limit: PAGE, isLive: true, everyMs: POLL_MS })
  const { runs, failure, hasOlder, isReadingOlder, readOlder } = pages
  const { isLost } = useServerLink()
  const approvals = use(AnswerableContext)
  const waiting = useMemo(() => new Set(approvals.map(({ runId }) => runId)), [approvals])
  const onNearEnd = (): void => {
    if (hasOlder && !isReadingOlder && failure === undefined) readOlder()
  }
  const isFiltered = Object.keys(query).length > 0
  const known = [...agents, ...(runs ?? []).map((run) => run.agent), agent]
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title="Runs">
        <RunFilterBar
          filter={filter}
          onChange={setFilter}
          agents={[...new Set(known)].filter((name) => name !== '').toSorted((a, b) => a.localeCompare(b))}
        />
        <CompareSelectionBar selection={selection} order={(runs ?? []).map(({ runId }) => runId)} />
      </PageHead>
      <RunList
        key={JSON.stringify(query)}
        runs={runs ?? []}
        waiting={waiting}
        selection={selection}
        onNearEnd={onNearEnd}
        before={
          <>
            {failure === undefined || isLost ? null : (
              <FailureNotice failure={failure} className="m-4 sm:mx-6" />
            )}
            {runs === undefined && (failure === undefined || isLost) ? (
              <p role="status" className="breathing px-4 py-6 text-small text-muted sm:px-6">
                {isFiltered ? 'Searching all runs …' : 'Loading runs …'}
              </p>
            ) : null}
          </>
        }
        after={
          <>
            {hasOlder && runs !== undefined ? (
              <div className="flex justify-center p-4">
                <Button onClick={readOlder} disabled={isReadingOlder}>
                  {isReadingOlder ? 'Loading older runs …' : 'Show older runs'}
                </Button>
              </div>
            ) : null}
            {runs?.length === 0 && !isFiltered ? (
              <EmptyState
                icon={<ListTree className="size-5" />}
                title="No runs yet"
                action={
                  <a href="#/chat" className={buttonClasses('solid')}>
                    Send a message to an agent
                  </a>
                }
              >
                Every run of this server is stored and listed here with all of its events, whichever protocol
                started it.
              </EmptyState>
            ) : null}
            {runs?.length === 0 && isFiltered ? (
              <EmptyState
                title="No matching runs"
                action={<Button onClick={() => setFilter(NO_FILTER)}>Show all</Button>}
              >
                All of your runs were searched.
              </EmptyState>
            ) : null}
          </>
        }
      />
    </div>
  )
}

/** Edits the search text, agent and state of the list of runs. */
function RunFilterBar({
  filter,
  onChange,
  agents,
}: {
  readonly filter: RunListFilter
  readonly onChange: (filter: RunListFilter) => void
  readonly agents: readonly string[]
}): ReactElement {
  return (
    <div
      role="search"
      className="flex min-w-0 flex-wrap gap-2 max-sm:order-last max-sm:w-full max-sm:[&_input]:h-[44px] max-sm:[&_select]:h-[44px]"
    >
      <SearchInput
        label="Find runs"
        placeholder="Search by text or id"
        className="min-w-40 grow max-sm:basis-full"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <Select
        aria-label="Agent"
        className="max-sm:flex-1"
        value={filter.agent}
        onChange={(event) => onChange({ ...filter, agent: event.target.value })}
      >
        <option value="">All agents</option>
        {agents.map((agent) => (
          <option key={agent}>{agent}</option>
        ))}
      </Select>
      <Select
        aria-label="State"
        className="max-sm:flex-1"
        value={filter.state}
        onChange={(event) => onChange({ ...filter, state: event.target.value as RunListFilter['state'] })}
      >
        <option value="">All states</option>
        <option value="open">Open</option>
        <option value="answered">Answered</option>
        <option value="failed">Not answered</option>
      </Select>
    </div>
  )
}

/** Returns `value` once it has not changed for `ms` milliseconds. */
function useDebouncedValue<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return debounced
}
