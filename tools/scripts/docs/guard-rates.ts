import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { STOCK_GUARDS } from '../../../packages/hooks/src/guards/stock-guards.ts'

const CORPUS = path.join(import.meta.dirname, '../../../packages/hooks/test/guards-corpus')
/** Options of guards that need some. The texts link to these hosts and to others. */
const OPTIONS: Readonly<Record<string, object>> = {
  'troupe:links': { allow: ['example.com', '*.example.com'] },
}

/** A text of the corpus and whether its guards found something. */
export interface RatedText {
  readonly category: string
  readonly kind: 'attack' | 'benign'
  readonly text: string
  readonly isFlagged: boolean
  /** True for the half of the texts that patterns were not tuned on. */
  readonly isHeldOut: boolean
}

interface CorpusFile {
  readonly category: string
  readonly kind: RatedText['kind']
  readonly guards: readonly string[]
  readonly texts: readonly string[]
}

/** Runs the stock guards on all texts of the corpus. */
export function rateTexts(): readonly RatedText[] {
  const { parse } = createRequire(path.join(CORPUS, 'x.js'))('yaml') as { parse(text: string): unknown }
  return globSync('*.yaml', { cwd: CORPUS })
    .toSorted()
    .flatMap((name) => {
      const file = parse(readFileSync(path.join(CORPUS, name), 'utf8')) as CorpusFile
      const finders = file.guards.map(createFinder)
      return file.texts.map((text) => ({
        category: file.category,
        kind: file.kind,
        text,
        isFlagged: finders.some((find) => find(text)),
        isHeldOut: isHeldOut(text),
      }))
    })
}

/** Assigns each text to a half by its own hash, so that the halves are not chosen by hand. */
function isHeldOut(text: string): boolean {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 1
}

function createFinder(name: string): (text: string) => boolean {
  const guard = STOCK_GUARDS.get(name.replace('troupe:', ''))?.(OPTIONS[name] as never)
  if (guard?.kind !== 'pattern') throw new Error(`${name} does not find parts of texts.`)
  return (text) => guard.find(text).length > 0
}

/** Returns the Wilson interval of 95 % for `count` of `total`. */
export function wilson(count: number, total: number): readonly [number, number] {
  if (total === 0) return [0, 1]
  const z = 1.959964
  const share = count / total
  const scale = 1 + (z * z) / total
  const centre = (share + (z * z) / (2 * total)) / scale
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total))
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}

/** Returns the table of rates by category as Markdown. */
export function ratesTable(texts: readonly RatedText[]): string {
  const byCategory = Map.groupBy(texts, ({ kind, category }) => `${kind}\n${category}`)
  const rows = [...byCategory.values()].map((group) => row(group[0]?.category ?? '', group))
  const totals = (['attack', 'benign'] as const).map((kind) =>
    row(
      `**all ${kind === 'attack' ? 'attacks' : 'benign texts'}**`,
      texts.filter((text) => text.kind === kind),
    ),
  )
  return [
    '| category | kind | texts | flagged | passed | flagged, 95 % interval |',
    '|---|---|---|---|---|---|',
    ...rows,
    ...totals,
  ].join('\n')
}

function row(category: string, group: readonly RatedText[]): string {
  const flagged = group.filter(({ isFlagged }) => isFlagged).length
  const [low, high] = wilson(flagged, group.length)
  const interval = `${percent(low)}–${percent(high)} %`
  const cells = [category, group[0]?.kind ?? '', group.length, flagged, group.length - flagged, interval]
  return `| ${cells.join(' | ')} |`
}

function percent(share: number): string {
  return String(Math.round(100 * share))
}

const START = '<!-- guard-rates:start -->'
const END = '<!-- guard-rates:end -->'

/** Returns the page with the rates on the held-out half between its two markers. */
export function withGuardRates(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`The page has no ${START} … ${END}.`)
  const table = ratesTable(rateTexts().filter(({ isHeldOut }) => isHeldOut))
  return `${page.slice(0, start + START.length)}\n\n${table}\n\n${page.slice(end)}`
}
