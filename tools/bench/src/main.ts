import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isBuilt } from './measures/cold.ts'
import type { Effort } from './probe.ts'
import { runWorkload, type Pair } from './run-workload.ts'
import { toTable, type Row } from './table.ts'
import { WORKLOADS, type Workload } from './workloads.ts'
import { writeReadme } from './write-readme.ts'

const HELP = `Usage: bench [--rounds N] [--only TEXT] [--quick] [--sample N --seed TEXT] [--write]

  --rounds N   rounds of all workloads, ours and the base in turn (5)
  --only TEXT  workloads whose name holds the text, and rows that explain another one
  --quick      one short round: checks that everything works, its figures mean little
  --sample N   only N of the workloads, others for each --seed
  --seed TEXT  what the sample is chosen by
  --write      puts the table into tools/bench/README.md
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const rounds = values.quick ? 1 : Number(values.rounds)
  const workloads = sampleOf(
    WORKLOADS.filter(
      ({ name, isDetail = false }) => name.includes(values.only) && (values.only !== '' || !isDetail),
    ),
  )
  const rows = await runRounds(workloads, rounds, { budgetMs: values.quick ? 50 : 1000 })
  const report = `${toTable(rows)}\n\n${describeRun(rounds)}`
  process.stdout.write(`${report}\n`)
  if (values.write) writeReadme(report)
}

function sampleOf(workloads: readonly Workload[]): readonly Workload[] {
  if (values.sample === undefined) return workloads
  const rank = ({ name }: Workload): string =>
    createHash('sha256').update(`${values.seed} ${name}`).digest('hex')
  return workloads.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, Number(values.sample))
}

/** A failed verification ends everything: figures of work that was not done are worth nothing. */
async function runRounds(
  workloads: readonly Workload[],
  rounds: number,
  effort: Effort,
): Promise<readonly Row[]> {
  const pairs = new Map<Workload, Pair[]>(workloads.map((workload) => [workload, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [workload, taken] of pairs) {
      process.stderr.write(`round ${round} of ${rounds}: ${workload.name}\n`)
      taken.push(await runWorkload(workload, effort))
    }
  }
  return Array.from(pairs, ([workload, taken]) => ({ workload, pairs: taken }))
}

function describeRun(rounds: number): string {
  const cold = isBuilt() ? 'from the built packages' : 'from the sources, so with type stripping'
  return (
    `\`pnpm bench ${process.argv.slice(2).join(' ')}\`: ${rounds} rounds, each sample in a fresh process. Node ${process.version}, ` +
    `${availableParallelism()} cores, ${process.arch}. Cold start of ours ${cold}.`
  )
}
