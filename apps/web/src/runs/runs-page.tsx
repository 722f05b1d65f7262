import { ListTree } from 'lucide-react'
import { useMemo, useState, type ReactElement } from 'react'
import { isOpenRun, toRunQuery } from '../api/runs.ts'
import { useServerLink } from '../api/server-link.ts'
import { goTo, NO_FILTER, type RunListFilter } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { RunFilterBar } from './run-filter-bar.tsx'
import { RunTable } from './run-table.tsx'
import { useDebouncedValue } from './use-debounced-value.ts'
import { useRunPages } from './use-run-pages.ts'

const LIVE_MS = 2000
const IDLE_MS = 10_000
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
  const [isLive, setLive] = useState(false)
  const setFilter = (next: RunListFilter): void => goTo({ page: 'runs', filter: next }, { replace: true })
  const typed = useDebouncedValue(filter.text, SEARCH_DELAY_MS)
  const text = filter.text === '' ? '' : typed
  const { agent, state } = filter
  const query = useMemo(() => toRunQuery({ text, agent, state }), [text, agent, state])
  const pages = useRunPages(query, { limit: PAGE, everyMs: isLive ? LIVE_MS : IDLE_MS })
  const { runs, failure, hasOlder, isReadingOlder, readOlder } = pages
  const { isLost } = useServerLink()
  const hasOpen = runs?.some(isOpenRun) === true
  if (runs !== undefined && hasOpen !== isLive) setLive(hasOpen)
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
      </PageHead>
      <div className="min-h-0 grow overflow-auto">
        {failure === undefined || isLost ? null : <FailureNotice failure={failure} className="m-4 sm:mx-6" />}
        {runs === undefined && (failure === undefined || isLost) ? (
          <p role="status" className="breathing px-4 py-6 text-small text-muted sm:px-6">
            {isFiltered ? 'Searching all runs …' : 'Reading the runs …'}
          </p>
        ) : null}
        {runs !== undefined && runs.length > 0 ? <RunTable runs={runs} /> : null}
        {hasOlder && runs !== undefined ? (
          <div className="flex justify-center p-4">
            <Button onClick={readOlder} disabled={isReadingOlder}>
              {isReadingOlder ? 'Reading older runs …' : 'Show older runs'}
            </Button>
          </div>
        ) : null}
        {runs?.length === 0 && !isFiltered ? (
          <EmptyState
            icon={<ListTree className="size-5" />}
            title="No runs yet"
            action={
              <a href="#/chat" className={buttonClasses('solid')}>
                Write to an agent
              </a>
            }
          >
            Every run over any protocol of this server is kept and listed here, with all that happened in it.
          </EmptyState>
        ) : null}
        {runs?.length === 0 && isFiltered ? (
          <EmptyState
            title="No run fits"
            action={<Button onClick={() => setFilter(NO_FILTER)}>Show all</Button>}
          >
            The server has searched all of your runs.
          </EmptyState>
        ) : null}
      </div>
    </div>
  )
}
