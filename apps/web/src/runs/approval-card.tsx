import type { DecisionBody } from '@troupe/client'
import type { AnswerScope, ApprovalDecision, JsonObject, Json, Question } from '@troupe/schema'
import type { ApprovalView, TimelineRun } from '@troupe/timeline'
import { MessageCircleQuestion, ShieldQuestion } from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { ValueField } from '../form/value-field.tsx'
import { valueProblems } from '../form/value-problems.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextInput } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { FailureNotice } from '../ui/notice.tsx'

const SCOPES: Readonly<Record<AnswerScope | 'once', string>> = {
  once: 'once',
  session: 'in this conversation',
  always: 'always',
}

/**
 * Shows a call that waits for a person: an approval with its arguments, or a question of the tool with its
 * answer field.
 */
export function ApprovalCard({
  rootRunId,
  approval,
  path,
  children,
  onDecided,
}: {
  readonly rootRunId: string
  readonly approval: Pick<ApprovalView, 'approvalId' | 'toolName' | 'args' | 'asks' | 'reason'>
  /** The instances from the root run to the run that asks. */
  readonly path: readonly string[]
  /** A link to the run, in a list of several runs. */
  readonly children?: ReactNode
  readonly onDecided?: () => void
}): ReactElement {
  const { approvalId, toolName, asks, reason } = approval
  const decide = useAction(
    (decision: DecisionBody) => client.approvals.decide({ runId: rootRunId, approvalId }, decision),
    onDecided,
  )
  const Icon = asks === undefined ? ShieldQuestion : MessageCircleQuestion
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-warn/40 bg-warn-wash px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
        <Icon aria-hidden="true" className="size-4 text-warn" />
        <span className="min-w-0 break-words">
          {path.slice(0, -1).map((instance, index) => (
            <span key={index} className="text-muted">
              {instance} ›{' '}
            </span>
          ))}
          <strong className="font-semibold">{path.at(-1)}</strong>{' '}
          {asks === undefined ? (
            <>
              wants to call <code className="font-mono font-semibold">{toolName}</code>
            </>
          ) : (
            'asks you'
          )}
        </span>
        {children}
      </div>
      {reason === undefined ? null : <p className="text-small">{reason}</p>}
      {asks === undefined ? (
        <ApprovalAnswer
          args={approval.args}
          canRemember={reason === undefined}
          isBusy={decide.isBusy}
          onDecide={decide.run}
        />
      ) : (
        <QuestionAnswer question={asks} isBusy={decide.isBusy} onDecide={decide.run} />
      )}
      {decide.failure === undefined ? null : <FailureNotice failure={decide.failure} />}
    </article>
  )
}

/** Shows the arguments of a call with the buttons to approve and deny it, and the scope of an approval. */
function ApprovalAnswer({
  args,
  canRemember,
  isBusy,
  onDecide,
}: {
  readonly args: JsonObject
  /** True if the decision may apply to the tool beyond this call. */
  readonly canRemember: boolean
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const [scope, setScope] = useState<AnswerScope | 'once'>('once')
  const reason = text.trim() === '' ? {} : { reason: text.trim() }
  const remember = scope === 'once' ? {} : { remember: scope }
  return (
    <>
      <JsonView value={args} open={2} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          tone="solid"
          disabled={isBusy}
          onClick={() => onDecide({ decision: 'approved', ...reason, ...remember })}
        >
          Approve
        </Button>
        {canRemember ? (
          <Select
            aria-label="Approve"
            value={scope}
            disabled={isBusy}
            onChange={(event) => setScope(event.target.value as AnswerScope | 'once')}
          >
            {Object.entries(SCOPES).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </Select>
        ) : null}
        <Button tone="danger" disabled={isBusy} onClick={() => onDecide({ decision: 'denied', ...reason })}>
          Deny
        </Button>
        <TextInput
          aria-label="Reason"
          placeholder="Reason, which is sent to the agent (optional)"
          className="min-w-40 grow basis-0"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    </>
  )
}

/** Shows the open approvals of a run tree. */
export function RunApprovals({
  viewState,
  rootRunId,
}: {
  readonly viewState: RunViewState
  readonly rootRunId: string
}): ReactElement | null {
  const { runs } = viewState.timeline
  const open = runs.flatMap((run) => run.approvals.map((approval) => ({ run, approval })))
  if (open.length === 0) return null
  return (
    <section aria-label="Approvals" className="flex flex-col gap-2 px-4 py-3 sm:px-6">
      {open.map(({ run, approval }) => (
        <ApprovalCard
          key={approval.approvalId}
          rootRunId={rootRunId}
          approval={approval}
          path={pathOf(run, runs)}
        />
      ))}
    </section>
  )
}

/** Returns the instances from the root run to a run. */
function pathOf(run: TimelineRun, runs: readonly TimelineRun[]): readonly string[] {
  const parent = runs.find(({ runId }) => runId === run.parentRunId)
  return parent === undefined ? [run.instance] : [...pathOf(parent, runs), run.instance]
}

/** Shows a question of a tool with its choices, its form, or a line for text. */
function QuestionAnswer({
  question: { question, choices, form },
  isBusy,
  onDecide,
}: {
  readonly question: Question
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const [values, setValues] = useState<JsonObject>({})
  const [wasTried, setTried] = useState(false)
  const problems = form === undefined ? [] : valueProblems(form, values)
  const send = (answer: string): void => {
    setTried(true)
    if (problems.length === 0)
      onDecide({ decision: 'approved', answer, ...(form === undefined ? {} : { values }) })
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        send(form === undefined ? text : JSON.stringify(values))
      }}
    >
      <p className="whitespace-pre-wrap">{question}</p>
      {form === undefined ? null : (
        <ValueField
          label=""
          schema={form}
          value={values}
          isRequired
          onChange={(value: Json | undefined) => setValues((value ?? {}) as JsonObject)}
          problemAt={(path) =>
            wasTried ? problems.find((problem) => problem.path === path)?.message : undefined
          }
          path=""
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {choices?.map((choice) => (
          <Button key={choice} disabled={isBusy} onClick={() => send(choice)}>
            {choice}
          </Button>
        ))}
        {choices === undefined && form === undefined ? (
          <TextInput
            aria-label="Answer"
            placeholder="Your answer"
            className="max-w-96"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        ) : null}
        {choices === undefined ? (
          <Button tone="solid" type="submit" disabled={isBusy || (form === undefined && text.trim() === '')}>
            Answer
          </Button>
        ) : null}
        <Button
          tone="quiet"
          disabled={isBusy}
          onClick={() => onDecide({ decision: 'denied', reason: 'The person declined to answer.' })}
        >
          Decline to answer
        </Button>
      </div>
    </form>
  )
}
