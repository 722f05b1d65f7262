import type { PlannedCard } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import { shortPath, type ProblemFormat } from './problems.ts'
import { tableLines } from './table.ts'

const COLUMNS = ['field', 'is', 'to', 'because'].map((title) => ({ title }))

/** Returns the lines of `--explain`: the format of each card, and the status of each field. */
export function explanationLines(cards: readonly PlannedCard[], format: ProblemFormat): readonly string[] {
  return cards.flatMap((card, index) => [...(index === 0 ? [] : ['']), ...cardLines(card, format)])
}

function cardLines(
  { file, agent, dialect, fields }: PlannedCard,
  { cwd, style }: ProblemFormat,
): readonly string[] {
  const path = plainText(shortPath(file, cwd))
  const name = agent === undefined ? path : `${plainText(agent)}  ${path}`
  const head = `${style.bold(name)}  read as ${dialect}`
  if (fields.length === 0) return [head, '  no fields']
  const rows = fields.map(({ key, status, to, reason }) =>
    [key, status, to ?? '', reason ?? ''].map((cell) => plainText(cell)),
  )
  return [head, ...tableLines(COLUMNS, rows).map((line) => `  ${line}`.trimEnd())]
}
