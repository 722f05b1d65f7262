import type { DecidedApproval, Decider } from '@troupe/client'
import { describeCall } from '@troupe/timeline'
import { ChevronRight, History } from 'lucide-react'
import { useEffect, useMemo, useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { useNow } from '../feed/use-run.ts'
import { hrefOf } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { AgentPath } from './agent-path.tsx'
import { CallBody } from './call-body.tsx'

/** Lists the decisions on approvals and questions, the newest first, page by page. */
export function DecisionLog(): ReactElement {
  const [decisions, setDecisions] = useState<readonly DecidedApproval[]>()
  const [next, setNext] = useState<string>()
  const now = useNow(false)
  const load = useAction(
    (before?: string) => client.approvals.decisions(before === undefined ? {} : { before }),
    (page) => {
      setDecisions((known = []) => [...known, ...page.decisions])
      setNext(page.next)
    },
  )
  useEffect(() => {
    load.run()
    // Only once: later decisions are listed when the tab is opened again.
  }, [])
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-3">
      {load.failure === undefined ? null : <FailureNotice failure={load.failure} />}
      {decisions?.length === 0 ? (
        <EmptyState icon={<History className="size-5" />} title="No decisions yet">
          Decisions on approvals and answers to questions are listed here, with who made them and how.
        </EmptyState>
      ) : null}
      <ul className="flex flex-col">
        {decisions?.map((decided) => (
          <DecisionRow key={`${decided.runId} ${decided.approvalId}`} decided={decided} now={now} />
        ))}
      </ul>
      {next === undefined ? null : (
        <Button className="self-center" disabled={load.isBusy} onClick={() => load.run(next)}>
          Show older decisions
        </Button>
      )}
    </div>
  )
}

function DecisionRow({
  decided,
  now,
}: {
  readonly decided: DecidedApproval
  readonly now: number
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const { toolName, args, path, asks, by, decidedAt, comment, answer, remember, runId } = decided
  const description = useMemo(() => describeCall(toolName, args), [toolName, args])
  const text = answer ?? comment
  return (
    <li className="border-b border-line py-2 text-small last:border-b-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 w-full min-w-0 items-center gap-2 rounded-sm text-left hover:bg-raised pointer-coarse:min-h-11"
      >
        <ChevronRight
          aria-hidden="true"
          className={classNames(
            'size-4 shrink-0 text-muted transition-transform motion-reduce:transition-none',
            isOpen && 'rotate-90',
          )}
        />
        <Verdict decided={decided} />
        <span className="min-w-0 grow truncate font-medium">
          {asks === undefined ? (description.action ?? `Call ${toolName}`) : asks.question}
        </span>
        <time dateTime={new Date(decidedAt).toISOString()} className="shrink-0 text-muted tabular">
          {clockTime(decidedAt, now)}
        </time>
      </button>
      <p className="pl-6 text-muted">
        <AgentPath path={path} /> · {deciderText(by)}
        {remember === undefined ? '' : remember === 'always' ? ' · always' : ' · for the conversation'} ·{' '}
        <a
          href={hrefOf({ page: 'run', runId })}
          className="text-accent underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
        >
          Open run
        </a>
      </p>
      {text === undefined ? null : (
        <p dir="auto" className="line-clamp-3 pl-6 wrap-anywhere">
          {text}
        </p>
      )}
      {isOpen ? (
        <div className="mt-2 pl-6">
          <CallBody description={description} args={args} />
        </div>
      ) : null}
    </li>
  )
}

function Verdict({ decided: { decision, asks } }: { readonly decided: DecidedApproval }): ReactElement {
  const isApproved = decision === 'approved'
  const word = asks === undefined ? (isApproved ? 'allowed' : 'denied') : isApproved ? 'answered' : 'declined'
  return (
    <span className={classNames('w-16 shrink-0 font-medium', isApproved ? 'text-good' : 'text-bad')}>
      {word}
    </span>
  )
}

const CHANNELS: Readonly<Record<Decider['via'], string>> = {
  page: 'on the page',
  api: 'over HTTP',
  terminal: 'at the terminal',
  slack: 'in Slack',
  link: 'by a link',
}

/** Returns who decided and how. */
export function deciderText(by: Decider | undefined): string {
  if (by === undefined) return 'no person is recorded'
  const { via, name } = by
  if (via === 'link') return name === undefined ? CHANNELS.link : `by the link sent to ${name}`
  return name === undefined ? CHANNELS[via] : `${name}, ${CHANNELS[via]}`
}
