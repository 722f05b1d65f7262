import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { ROWS, type Row } from './rows.ts'
import { runRow, type Effort, type Round } from './run-row.ts'
import { toLines, toTable, type Result } from './table.ts'
import { writeReadme } from './write-readme.ts'

const HELP = `Usage: bench [--rounds N] [--only TEXT] [--quick] [--sample N --seed TEXT] [--write]

  --rounds N   number of rounds of all rows (5)
  --only TEXT  only rows whose name contains the text
  --quick      one short round to check that every row works; gates are not checked
  --sample N   only N of the rows, chosen by --seed
  --seed TEXT  any text
  --write      write the table to tools/bench/README.md

Exits with 1 if a gate fails. Run \`pnpm build\` first: some rows start the built command.
`

/** Packages whose versions the table names. */
const PACKAGES = [
  'ai',
  '@openai/agents',
  '@langchain/langgraph',
  '@ai-sdk/openai-compatible',
  '@modelcontextprotocol/client',
  'gray-matter',
  'zod',
]

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
  const rows = sampleOf(ROWS.filter(({ name }) => name.includes(values.only)))
  const effort = { budgetMs: values.quick ? 50 : 1000, isQuick: values.quick }
  const results = await runRounds(rows, rounds, effort)
  const all = results.flatMap(toLines)
  // short samples say little about cost, so `--quick` judges no gate
  const lines = values.quick
    ? all.map(({ cells }) => ({ cells: [...cells.slice(0, -1), ''], isPassed: true }))
    : all
  const report = `${toTable(lines)}\n\n${describeRun(rounds)}`
  process.stdout.write(`${report}\n`)
  if (values.write) writeReadme(report)
  if (lines.some(({ isPassed }) => !isPassed)) process.exitCode = 1
}

function sampleOf(rows: readonly Row[]): readonly Row[] {
  if (values.sample === undefined) return rows
  const rank = ({ name }: Row): string => createHash('sha256').update(`${values.seed} ${name}`).digest('hex')
  return rows.toSorted((a, b) => rank(a).localeCompare(rank(b))).slice(0, Number(values.sample))
}

/** Rejects if a sample fails, since the cost of work that was not done means nothing. */
async function runRounds(rows: readonly Row[], rounds: number, effort: Effort): Promise<readonly Result[]> {
  const results = new Map<Row, Round[]>(rows.map((row) => [row, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const [row, taken] of results) {
      if (round > (row.maxRounds ?? rounds)) continue
      process.stderr.write(`round ${round} of ${rounds}: ${row.name}\n`)
      taken.push(await runRow(row, effort))
    }
  }
  return Array.from(results, ([row, taken]) => ({ row, rounds: taken }))
}

function describeRun(rounds: number): string {
  const command = ['pnpm bench', ...process.argv.slice(2)].join(' ')
  const versions = PACKAGES.map((name) => `${name} ${versionOf(name)}`).join(', ')
  return `\`${command}\`, ${rounds} rounds. Node ${process.version}, ${availableParallelism()} cores, ${process.arch}. ${versions}.`
}

function versionOf(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}
