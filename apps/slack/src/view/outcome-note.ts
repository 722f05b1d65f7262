import { hasAnswer, type RunReport } from '@troupe/schema'
import { oneLine } from './cut-text.ts'
import { escapeSlack } from './escape-slack.ts'

/** Returns the note below a missing or incomplete answer; `undefined` if the run completed. */
export function outcomeNote({ outcome, error }: Pick<RunReport, 'outcome' | 'error'>): string | undefined {
  if (outcome === 'completed') return undefined
  if (outcome === 'cancelled') return '_Stopped._'
  const reason = escapeSlack(oneLine(error?.message ?? '', 500), { atLineStart: false })
  if (hasAnswer(outcome)) return `_The answer is not complete. ${reason}_`.replace(' _', '_')
  return `:warning: **${TITLES.get(outcome) ?? 'The run failed.'}** ${reason}`.trimEnd()
}

const TITLES = new Map<RunReport['outcome'], string>([
  ['timeout', 'The time ran out.'],
  ['budget', 'The budget is used up.'],
  ['denied', 'This was not allowed.'],
])
