import type { EvalProgress, EvalReport, EvalTotals, JudgeCalibration } from '@troupe/evals'
import { repeatsToCallOneCase } from '@troupe/evals'
import { plainText } from '@troupe/timeline'
import { countText } from './table.ts'

/** Returns how well a judge agrees with its labels, as one line. */
export function judgeLine({
  agent,
  labels,
  agreement,
  interval,
  sensitivity,
  specificity,
}: JudgeCalibration): string {
  const shares = [
    sensitivity === null ? undefined : `sensitivity ${numberText(sensitivity)}`,
    specificity === null ? undefined : `specificity ${numberText(specificity)}`,
  ].filter((share) => share !== undefined)
  const [low, high] = interval
  return `The judge ${plainText(agent)} agrees with ${Math.round(agreement * labels)} of ${labels} labels (${numberText(low)} to ${numberText(high)}), ${shares.join(', ')}.`
}

/** Returns a note if the repeats are too few to call any single case better or worse. */
export function tooFewLine({ comparison }: EvalReport): readonly string[] {
  if (comparison === undefined) return []
  const { cases } = comparison
  const needed = repeatsToCallOneCase(cases.length)
  const most = Math.max(...cases.map(({ base, current }) => Math.min(countOf(base), countOf(current))))
  if (most >= needed) return []
  return [
    `A single one of ${countText(cases.length, 'case')} can be called better or worse from ${needed} repeats on.`,
  ]
}

function countOf({ passed, failed }: EvalTotals): number {
  return passed + failed
}

function numberText(value: number): string {
  return value.toFixed(3).replace(/\.?0+$/u, '')
}

/** Returns the line of one finished run. */
export function progressLine({ id, model, isBase, repeat, finished, total }: EvalProgress): string {
  const where = [
    plainText(id),
    model === undefined ? undefined : plainText(model),
    isBase ? 'base' : undefined,
  ]
  const name = where.filter((part) => part !== undefined).join(', ')
  return `${finished}/${total} ${name}: ${repeat.status}`
}
