import type { Agent, Run } from '@troupe/client'
import { formatChange, formatCost, formatDuration, formatTokens } from '@troupe/timeline'
import { Play } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { isOpenRun, runQuery } from '../api/queries.ts'
import { useAction, useRequest } from '../api/use-request.ts'
import { hrefOf } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { Field, INPUT_CLASSES } from '../ui/field.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { lastRunQuery } from './card-queries.ts'
import { WordDiff } from './text-diff.tsx'

const POLL_MS = 1000

/** Runs the agent with the unsaved text: with the input of its last run, or with a new message. */
export function CardTrial({ agent, text }: { readonly agent: Agent; readonly text: string }): ReactElement {
  const { value: last, failure } = useRequest(lastRunQuery(agent.name))
  const [message, setMessage] = useState('')
  const [trialId, setTrialId] = useState<string>()
  const [baseId, setBaseId] = useState<string>()
  const start = useAction(
    (input: { readonly runId: string } | { readonly input: string }) =>
      client.cards.test(agent.name, { text, ...input }),
    ({ runId }) => setTrialId(runId),
  )
  const repeat = (run: Run): void => {
    setBaseId(run.runId)
    start.run({ runId: run.runId })
  }
  return (
    <Section title="Try the unsaved card">
      <p className="text-tiny text-muted">
        A trial uses the prompt, models and model settings of the text. Everything else comes from the saved
        card, and tools that need an approval are not offered.
      </p>
      {failure === undefined ? null : <FailureNotice failure={failure} />}
      {last === undefined ? null : last === null ? null : (
        <div className="flex flex-col gap-2 rounded-md border border-line bg-panel p-3">
          <p className="line-clamp-3 text-small break-words" dir="auto">
            {last.input}
          </p>
          <Button className="self-start" disabled={start.isBusy} onClick={() => repeat(last)}>
            <Play aria-hidden="true" className="size-3.5" /> Run the last input again
          </Button>
        </div>
      )}
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          setBaseId(undefined)
          start.run({ input: message })
        }}
      >
        <Field label={last === null ? 'Message' : 'Or another message'}>
          {(props) => (
            <textarea
              {...props}
              rows={2}
              dir="auto"
              value={message}
              onChange={(event) => setMessage(event.target.value)}
              className={`${INPUT_CLASSES} field-sizing-content max-h-40 resize-none py-1.5`}
            />
          )}
        </Field>
        <Button type="submit" className="self-start" disabled={start.isBusy || message.trim() === ''}>
          <Play aria-hidden="true" className="size-3.5" /> Run
        </Button>
      </form>
      {start.failure === undefined ? null : <FailureNotice failure={start.failure} />}
      {trialId === undefined ? null : (
        <TrialResult key={trialId} trialId={trialId} base={baseId === last?.runId ? last : null} />
      )}
    </Section>
  )
}

/** Shows a trial beside the run that it repeats, with the differences of answers, costs, tokens and times. */
function TrialResult({
  trialId,
  base,
}: {
  readonly trialId: string
  readonly base: Run | null | undefined
}): ReactElement {
  const [hasEnded, setEnded] = useState(false)
  const { value: trial, failure } = useRequest(runQuery(trialId), hasEnded ? {} : { everyMs: POLL_MS })
  if (trial !== undefined && !isOpenRun(trial) && !hasEnded) setEnded(true)
  if (trial === undefined)
    return failure === undefined ? (
      <p className="text-small text-muted">Starting …</p>
    ) : (
      <FailureNotice failure={failure} />
    )
  const before = answerOf(base ?? undefined)
  const after = answerOf(trial)
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      {base === null || base === undefined || !hasEnded ? null : <Differences before={base} after={trial} />}
      <div className={base === null || base === undefined ? '' : 'grid gap-3 sm:grid-cols-2'}>
        {base === null || base === undefined ? null : (
          <Answer title="Last run" run={base}>
            <WordDiff before={before} after={hasEnded ? after : before} side="before" />
          </Answer>
        )}
        <Answer title="Trial" run={trial}>
          <WordDiff
            before={base === null || base === undefined ? after : before}
            after={after}
            side="after"
          />
        </Answer>
      </div>
    </div>
  )
}

function Answer({
  title,
  run,
  children,
}: {
  readonly title: string
  readonly run: Run
  readonly children: ReactElement
}): ReactElement {
  return (
    <section className="flex min-w-0 flex-col gap-2 rounded-md border border-line bg-panel p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-small font-semibold">
          <a href={hrefOf({ page: 'run', runId: run.runId })} className="hover:underline">
            {title}
          </a>
        </h3>
        <StateBadge state={run.state} />
      </div>
      <div className="max-h-96 overflow-auto" tabIndex={0} role="region" aria-label={title}>
        {children}
      </div>
    </section>
  )
}

function answerOf(run: Run | undefined): string {
  if (run === undefined) return ''
  if (run.error !== undefined) return run.error.message
  const { text, value } = run.output ?? {}
  return text ?? (value === undefined ? '' : JSON.stringify(value, null, 2))
}

/** Shows the differences in cost, tokens and time. */
function Differences({ before, after }: { readonly before: Run; readonly after: Run }): ReactElement {
  const cost = difference(before.usage?.cost, after.usage?.cost)
  const tokens = difference(tokensOf(before), tokensOf(after))
  const time = difference(before.activeMs, after.activeMs)
  const parts = [
    ['Cost', cost === undefined ? '–' : formatChange(cost, formatCost)],
    ['Tokens', tokens === undefined ? '–' : formatChange(tokens, formatTokens)],
    ['Time', time === undefined ? '–' : formatChange(time, formatDuration)],
  ] as const
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 text-small">
      {parts.map(([name, value]) => (
        <div key={name} className="flex gap-2">
          <dt className="text-muted">{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function tokensOf({ usage }: Run): number | undefined {
  return usage === undefined ? undefined : usage.inputTokens + usage.outputTokens
}

function difference(before: number | null | undefined, after: number | null | undefined): number | undefined {
  return typeof before === 'number' && typeof after === 'number' ? after - before : undefined
}
