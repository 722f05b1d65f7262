import type { EventPayloads, RunControl, RunRequest, RunResult, RootScope } from '@troupe/schema'
import { addEnd, toSpend } from '../budget/adopt-usage.ts'
import type { Journal } from './journal.ts'
import { pastMessages } from './past-messages.ts'

/** The result of a run that had ended before its root was interrupted: it is adopted, and nothing of it is done again. Undefined: it had not. */
export function pastResult(
  journal: Journal,
  {
    request,
    root,
    control,
  }: { readonly request: RunRequest; readonly root: RootScope; readonly control: RunControl },
): RunResult | undefined {
  const end = journal.step('end') as EventPayloads['run-end'] | undefined
  if (end === undefined) return undefined
  addEnd(control.account, end)
  const { runId, parentRunId, agent } = request
  const pot = root.purse.openPot({ runId, parentRunId, budget: {}, origin: agent.name })
  pot?.charge(toSpend(end.usage))
  pot?.close()
  return { runId, agent: agent.name, ...fromEnd(end), messages: pastMessages(journal, request) }
}

/** What the end of a run says of its result. */
export function fromEnd(end: EventPayloads['run-end']): Omit<RunResult, 'runId' | 'agent' | 'messages'> {
  const { output, error } = end
  return {
    outcome: end.outcome,
    text: output.text ?? '',
    ...(output.value === undefined ? {} : { value: output.value }),
    ...(error === undefined ? {} : { failure: error }),
    usage: end.usage,
    byAgent: end.byAgent,
    unpriced: end.unpriced,
    durationMs: end.durationMs,
  }
}
