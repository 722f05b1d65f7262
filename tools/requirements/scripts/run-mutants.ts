/**
 * Runs the mutants: `run-mutants.ts [--only A36,B1] [--sample 10 --seed text] [--record]`. Exits with code 1 unless all of
 * them were killed. `--record` writes the verdicts for the trust page, and `--missing` runs only mutants without one.
 */
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { readMutants, type Mutant } from '../src/mutants/mutant.ts'
import { mutantKey, readVerdicts, updateVerdicts, writeVerdicts } from '../src/mutants/recorded-verdicts.ts'
import { runMutants, type MutantResult } from '../src/mutants/run-mutants.ts'
import { ROOT } from '../src/readme-files.ts'
import { MUTANT_FIGURES } from '../src/trust/trust-files.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

let since = performance.now()
const { mutants: all } = await readMutants()
let recorded = await readVerdicts(MUTANT_FIGURES)
const results = await runMutants(choose(all), {
  repository: ROOT,
  maxWorkers: Number(values.workers),
  onResult: report,
  signal: stop.signal,
})
const counts = Map.groupBy(results, ({ verdict }) => verdict)
console.log(Array.from(counts, ([verdict, list]) => `${list.length} ${verdict}`).join(', '))
process.exit(counts.has('survived') || counts.has('broken') ? 1 : 0)

function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  const { only, sample, seed, missing } = values
  const ids = only?.split(',')
  const wanted = mutants.filter(
    (mutant) =>
      (ids === undefined || ids.includes(mutant.id)) &&
      !(missing && recorded[mutantKey(mutant)] === 'killed'),
  )
  if (sample === undefined) return wanted
  const rank = ({ id, find }: Mutant): string =>
    createHash('sha256').update(`${seed} ${id} ${find}`).digest('hex')
  return wanted.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, Number(sample))
}

function report(result: MutantResult): void {
  print(result)
  if (!values.record) return
  // after each, so that an interrupted run can be continued
  recorded = updateVerdicts(recorded, [result], all)
  writeVerdicts(MUTANT_FIGURES, recorded)
}

function print({ mutant, verdict, details }: MutantResult): void {
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  since = performance.now()
  console.log(`${verdict.padEnd(8)} ${mutant.id.padEnd(4)} ${mutant.file} (${seconds} s)`)
  if (verdict !== 'killed')
    for (const detail of [JSON.stringify(mutant.find), ...details]) console.log(`         ${detail}`)
}
