/** Runs the mutants: `run-mutants.ts [--only A36,B1] [--sample 10 --seed text]`. Exits with code 1 unless all of them were killed. */
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { readMutants, type Mutant } from '../src/mutants/mutant.ts'
import { runMutants, type MutantResult } from '../src/mutants/run-mutants.ts'
import { ROOT } from '../src/readme-files.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

let since = performance.now()
const results = await runMutants(choose((await readMutants()).mutants), {
  repository: ROOT,
  maxWorkers: Number(values.workers),
  onResult: print,
  signal: stop.signal,
})
const counts = Map.groupBy(results, ({ verdict }) => verdict)
console.log(Array.from(counts, ([verdict, list]) => `${list.length} ${verdict}`).join(', '))
process.exit(counts.has('survived') || counts.has('broken') ? 1 : 0)

function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  const { only, sample, seed } = values
  const ids = only?.split(',')
  const wanted = ids === undefined ? mutants : mutants.filter(({ id }) => ids.includes(id))
  if (sample === undefined) return wanted
  const rank = ({ id, find }: Mutant): string =>
    createHash('sha256').update(`${seed} ${id} ${find}`).digest('hex')
  return wanted.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, Number(sample))
}

function print({ mutant, verdict, details }: MutantResult): void {
  const seconds = ((performance.now() - since) / 1000).toFixed(1)
  since = performance.now()
  console.log(`${verdict.padEnd(8)} ${mutant.id.padEnd(4)} ${mutant.file} (${seconds} s)`)
  if (verdict !== 'killed')
    for (const detail of [JSON.stringify(mutant.find), ...details]) console.log(`         ${detail}`)
}
