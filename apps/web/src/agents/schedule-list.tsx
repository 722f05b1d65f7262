import type { Schedule } from '@troupe/client'
import type { ReactElement } from 'react'
import { isReloadOf } from '../api/changes.ts'
import { client } from '../api/client.ts'
import { SCHEDULES } from '../api/queries.ts'
import { useAction, useRequest } from '../api/use-request.ts'
import { useNow } from '../feed/use-run.ts'
import { hrefOf } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { clockTime } from '../ui/format.ts'
import { FailureNotice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'

type ScheduleAction = 'run' | 'pause' | 'resume'

/** Lists the schedules with their last and next firing. Shows nothing without schedules, and to people who may not see them. */
export function ScheduleList(): ReactElement | null {
  const { value, refresh } = useRequest(SCHEDULES, { isStale: isReloadOf('schedules'), everyMs: 5000 })
  const control = useAction((name: string, action: ScheduleAction) =>
    client.schedules[action](name).then(refresh),
  )
  if (value === undefined || value.schedules.length === 0) return null
  return (
    <Section title="Schedules">
      {control.failure === undefined ? null : <FailureNotice failure={control.failure} />}
      <ul className="flex flex-col overflow-hidden rounded-lg border border-line bg-panel">
        {value.schedules.map((schedule) => (
          <ScheduleRow
            key={schedule.name}
            schedule={schedule}
            isBusy={control.isBusy}
            onControl={(action) => control.run(schedule.name, action)}
          />
        ))}
      </ul>
    </Section>
  )
}

function ScheduleRow({
  schedule,
  isBusy,
  onControl,
}: {
  readonly schedule: Schedule
  readonly isBusy: boolean
  onControl(action: ScheduleAction): void
}): ReactElement {
  const { name, agent, cron, timeZone, isPaused, next, last } = schedule
  const now = useNow(false)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/60 px-4 py-2 last:border-b-0">
      <span className="text-small font-semibold break-all">{name}</span>
      <span className="text-tiny text-muted">
        {agent} · <code className="font-mono">{cron}</code> {timeZone}
      </span>
      <span className="grow text-tiny text-muted tabular">
        {isPaused ? 'paused' : next === undefined ? '' : `next ${clockTime(next, now)}`}
        {last === undefined ? null : (
          <>
            {' · '}
            last {clockTime(last.due, now)},{' '}
            {last.state === 'started' ? (
              <a
                href={hrefOf({ page: 'run', runId: last.runId })}
                className="text-accent underline underline-offset-2"
              >
                open run
              </a>
            ) : (
              last.state
            )}
          </>
        )}
      </span>
      <span className="flex gap-1.5">
        <Button
          size="small"
          disabled={isBusy}
          aria-label={`Run now: ${name}`}
          onClick={() => onControl('run')}
        >
          Run now
        </Button>
        <Button
          size="small"
          disabled={isBusy}
          aria-label={`${isPaused ? 'Resume' : 'Pause'} ${name}`}
          onClick={() => onControl(isPaused ? 'resume' : 'pause')}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      </span>
    </li>
  )
}
