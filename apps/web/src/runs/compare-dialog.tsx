import type { Run, RunSummary } from '@troupe/client'
import { formatDuration } from '@troupe/timeline'
import { useState, type FormEvent, type ReactElement } from 'react'
import { runsQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { clockTime } from '../ui/format.ts'
import { FailureNotice } from '../ui/notice.tsx'
import { StateBadge } from '../ui/state-badge.tsx'

/** Number of runs to choose from. */
const CHOICES = 20

/** Asks which run to compare a run with: the one that it was made from, a recent run of its agent, or an id. */
export function CompareDialog({
  runId,
  agent,
  details,
  onClose,
}: {
  readonly runId: string
  readonly agent: string
  /** The run as the server describes it, with its origin. */
  readonly details: Run | undefined
  readonly onClose: () => void
}): ReactElement {
  const origin = details?.forkOf?.runId ?? details?.retryOf
  const { value, failure } = useRequest(runsQuery({ agent, limit: CHOICES }))
  const [chosen, setChosen] = useState(origin ?? '')
  const runs = (value?.runs ?? []).filter((run) => run.runId !== runId)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const other = chosen.trim()
    if (other !== '' && other !== runId) goTo({ page: 'compare', left: other, right: runId })
  }
  return (
    <Dialog title="Compare with another run" isWide isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex min-h-0 flex-col gap-4 overflow-auto p-5">
        <Field label="Run" hint="The id of any run, or choose one below.">
          {(field) => (
            <TextInput
              {...field}
              className="font-mono max-sm:h-11"
              value={chosen}
              onChange={(event) => setChosen(event.target.value)}
            />
          )}
        </Field>
        {failure === undefined ? null : <FailureNotice failure={failure} />}
        <fieldset className="flex min-w-0 flex-col rounded-md border border-line">
          <legend className="sr-only">Recent runs of {agent}</legend>
          {origin !== undefined && !runs.some((run) => run.runId === origin) ? (
            <Choice runId={origin} isOrigin chosen={chosen} onChoose={setChosen} />
          ) : null}
          {runs.map((run) => (
            <Choice
              key={run.runId}
              runId={run.runId}
              run={run}
              isOrigin={run.runId === origin}
              chosen={chosen}
              onChoose={setChosen}
            />
          ))}
          {value !== undefined && runs.length === 0 && origin === undefined ? (
            <p className="px-3 py-2 text-small text-muted">There are no other runs of {agent}.</p>
          ) : null}
        </fieldset>
        <div className="flex justify-end gap-2">
          <Button className="max-sm:h-11" onClick={onClose}>
            Cancel
          </Button>
          <Button
            className="max-sm:h-11"
            tone="solid"
            type="submit"
            disabled={chosen.trim() === '' || chosen.trim() === runId}
          >
            Compare
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Choice({
  runId,
  run,
  isOrigin,
  chosen,
  onChoose,
}: {
  readonly runId: string
  /** `undefined` if the run is older than the list. */
  readonly run?: RunSummary
  readonly isOrigin: boolean
  readonly chosen: string
  readonly onChoose: (runId: string) => void
}): ReactElement {
  return (
    <label className="flex min-h-9 cursor-pointer items-center gap-2.5 border-b border-line/60 px-3 text-small last:border-b-0 hover:bg-raised/70 max-sm:min-h-11">
      <input
        type="radio"
        name="run"
        className="accent-accent"
        checked={chosen === runId}
        onChange={() => onChoose(runId)}
      />
      <span className="shrink-0 font-mono text-tiny">{runId.slice(0, 12)}</span>
      {isOrigin ? <span className="shrink-0 text-tiny font-semibold text-accent">origin</span> : null}
      <span dir="auto" className="min-w-0 grow truncate text-muted">
        {run?.input}
      </span>
      {run === undefined ? null : (
        <>
          <StateBadge compact state={run.state} />
          <span className="shrink-0 text-tiny text-muted tabular max-sm:hidden">
            {run.durationMs === undefined ? '' : formatDuration(run.durationMs)}
          </span>
          <span className="shrink-0 text-tiny text-muted tabular">
            {clockTime(run.startedAt, Date.now())}
          </span>
        </>
      )}
    </label>
  )
}
