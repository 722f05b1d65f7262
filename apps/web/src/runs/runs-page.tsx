import { ListTree } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { isOpenRun, RUNS_PATH, type RunList } from '../api/runs.ts'
import { useAnswer } from '../api/use-answer.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Button, buttonClasses } from '../ui/button.tsx'
import { filterRuns, NO_FILTER } from './filter-runs.ts'
import { RunFilterBar } from './run-filter-bar.tsx'
import { RunTable } from './run-table.tsx'

const LIVE_MS = 2000
const CALM_MS = 10_000

/** The runs that are kept, the newest first, to look for one. */
export function RunsPage(): ReactElement {
  const [isLive, setLive] = useState(false)
  const { value, failure } = useAnswer<RunList>(RUNS_PATH, { everyMs: isLive ? LIVE_MS : CALM_MS })
  const [filter, setFilter] = useState(NO_FILTER)
  const runs = value?.runs ?? []
  const hasOpen = runs.some(isOpenRun)
  if (hasOpen !== isLive) setLive(hasOpen)
  const shown = filterRuns(runs, filter)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title="Runs">
        <RunFilterBar
          filter={filter}
          onChange={setFilter}
          agents={[...new Set(runs.map(({ agent }) => agent))]}
        />
      </PageHead>
      <div className="min-h-0 grow overflow-auto">
        {failure === undefined ? null : <FailureNotice failure={failure} className="m-4 sm:mx-6" />}
        {shown.length > 0 ? <RunTable runs={shown} /> : null}
        {value !== undefined && runs.length === 0 ? (
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
        {runs.length > 0 && shown.length === 0 ? (
          <EmptyState
            title="No run fits"
            action={<Button onClick={() => setFilter(NO_FILTER)}>Show all</Button>}
          >
            None of the {runs.length} runs is like what you look for.
          </EmptyState>
        ) : null}
      </div>
    </div>
  )
}
