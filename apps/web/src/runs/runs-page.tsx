import type { RunSummary } from '@troupe/client'
import { formatCost, formatDuration } from '@troupe/timeline'
import { ListTree, Search } from 'lucide-react'
import { useEffect, useMemo, useState, type ReactElement } from 'react'
import { isOpenRun, toRunListOptions } from '../api/queries.ts'
import { useServerLink } from '../api/server-link.ts'
import { useNow } from '../feed/use-run.ts'
import { goTo, NO_FILTER, type RunListFilter, hrefOf } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { Select, TextInput } from '../ui/field.tsx'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
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
  const query = useMemo(() => toRunListOptions({ text, agent, state }), [text, agent, state])
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
            {isFiltered ? 'Searching all runs …' : 'Loading runs …'}
          </p>
        ) : null}
        {runs !== undefined && runs.length > 0 ? <RunTable runs={runs} /> : null}
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
      </div>
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
    <div role="search" className="flex min-w-0 flex-wrap gap-2 max-sm:w-full">
      <div className="relative min-w-40 grow">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-muted"
        />
        <TextInput
          type="search"
          aria-label="Find runs"
          placeholder="Search by text or id"
          className="pl-8"
          value={filter.text}
          onChange={(event) => onChange({ ...filter, text: event.target.value })}
        />
      </div>
      <Select
        aria-label="Agent"
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

/** Lists runs in a table. Each row links to the timeline of its run. */
function RunTable({ runs }: { readonly runs: readonly RunSummary[] }): ReactElement {
  const now = useNow(runs.some(({ state }) => state === 'running'))
  return (
    <table className="w-full table-fixed text-left text-small">
      <thead className="sticky top-0 bg-page text-tiny text-muted max-md:sr-only">
        <tr className="border-b border-line">
          <th className="w-36 py-2 pl-6 font-medium">State</th>
          <th className="w-48 py-2 pr-3 font-medium">Agent</th>
          <th className="py-2 pr-3 font-medium">Input</th>
          <th className="w-28 py-2 pr-3 text-right font-medium">Started</th>
          <th className="w-24 py-2 pr-3 text-right font-medium">Time</th>
          <th className="w-24 py-2 pr-6 text-right font-medium">Cost</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr
            key={run.runId}
            onClick={() => goTo({ page: 'run', runId: run.runId })}
            className="cursor-pointer border-b border-line/60 hover:bg-raised/70 max-md:grid max-md:grid-cols-[1fr_auto] max-md:gap-x-3 max-md:px-4 max-md:py-2"
          >
            <td className="py-2 pl-6 max-md:order-2 max-md:p-0">
              <StateBadge state={run.state} />
            </td>
            <td className="truncate py-2 pr-3 font-medium max-md:order-1 max-md:p-0">
              <a href={hrefOf({ page: 'run', runId: run.runId })} className="rounded-sm hover:text-accent">
                {run.agent}
              </a>
            </td>
            <td className="truncate py-2 pr-3 text-muted max-md:order-3 max-md:col-span-2 max-md:p-0">
              {run.input === '' ? '–' : run.input}
            </td>
            <td className="py-2 pr-3 text-right text-muted tabular max-md:order-4 max-md:p-0 max-md:text-left">
              {clockTime(run.startedAt, now)}
            </td>
            <td className="py-2 pr-3 text-right tabular max-md:order-5 max-md:p-0">
              {formatDuration(run.durationMs ?? Math.max(0, now - run.startedAt))}
            </td>
            <td className="py-2 pr-6 text-right text-muted tabular max-md:hidden">
              {run.cost === undefined ? '' : run.cost === null ? '–' : formatCost(run.cost)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
