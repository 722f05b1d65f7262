import { formatCost, formatTokens } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { MODELS } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { useRunFeed } from '../feed/use-run.ts'
import { usageOf } from '../reducers/run-view-state.ts'
import { classNames } from '../ui/class-names.ts'
import { contextUse, conversationCost } from './conversation-meters.ts'

/** Share of a limit from which a meter is shown as a warning. */
const HIGH = 0.8

/** Shows the context that the last turn used, and the cost of the conversation. */
export function ConversationMeters({
  lastRunId,
  earlierCosts,
  maxCost,
}: {
  readonly lastRunId: string
  /** Costs of the messages before the last, in USD; `null` if a price is unknown. */
  readonly earlierCosts: readonly (number | null | undefined)[]
  /** Maximum cost of a message in USD. */
  readonly maxCost: number | undefined
}): ReactElement {
  const { viewState } = useRunFeed(lastRunId)
  const models = useRequest(MODELS).value?.models ?? []
  const context = contextUse(viewState, models)
  const { usd, isLowerBound } = conversationCost(earlierCosts, viewState)
  const lastUsd = usageOf(viewState).micros / 1_000_000
  return (
    <div className="flex items-center gap-4 text-tiny text-muted tabular max-sm:hidden">
      {context === undefined ? null : (
        <Meter
          label="Context of the last turn"
          text={`${formatTokens(context.tokens)}${context.window === undefined ? ' tokens' : ` of ${formatTokens(context.window)}`}`}
          share={context.window === undefined ? undefined : context.tokens / context.window}
        />
      )}
      {usd === 0 && !isLowerBound ? null : (
        <Meter
          label="Cost of the conversation"
          text={`${isLowerBound ? '≥ ' : ''}${formatCost(usd)}`}
          share={undefined}
        />
      )}
      {maxCost === undefined ? null : (
        <Meter
          label="Budget of the last message"
          text={`${formatCost(lastUsd)} of ${formatCost(maxCost)}`}
          share={lastUsd / maxCost}
        />
      )}
    </div>
  )
}

function Meter({
  label,
  text,
  share,
}: {
  readonly label: string
  readonly text: string
  /** Used share of the limit; `undefined` if there is no limit. */
  readonly share: number | undefined
}): ReactElement {
  return (
    <span className="flex flex-col gap-0.5" title={label}>
      <span>
        <span className="sr-only">{label}: </span>
        {text}
      </span>
      {share === undefined ? null : (
        <span aria-hidden="true" className="h-1 w-full min-w-12 overflow-hidden rounded-full bg-line">
          <span
            className={classNames('block h-full rounded-full', share >= HIGH ? 'bg-warn' : 'bg-accent')}
            style={{ width: `${Math.min(100, Math.max(2, share * 100))}%` }}
          />
        </span>
      )}
    </span>
  )
}
