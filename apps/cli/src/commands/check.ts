import { resolve } from 'node:path'
import { isInside } from '@troupe/schema/paths'
import type { HostPlan, PlanProblem, PlannedCard } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import {
  errorsOf,
  reachable,
  startProblems,
  problemLines,
  shortPath,
  type ProblemFormat,
} from '../reporter/plan-problems.ts'
import { agentTree } from '../reporter/agent-tree.ts'
import { countText, tableLines } from '../reporter/table.ts'

export interface CheckOptions extends TeamOptions {
  readonly json?: boolean
  /** True to print how each card was read, field by field. */
  readonly explain?: boolean
  /** True to start the MCP servers and list their tools. */
  readonly connect?: boolean
  /** True if warnings change the exit code. */
  readonly strict?: boolean
}

/**
 * Runs `troupe check <paths…>`: loads everything without a model call and prints the plan. Returns 2 if a
 * given card, or a child it can reach, has an error.
 */
export async function checkCommand(
  paths: readonly string[],
  options: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context
  const host = await loadHost(paths, options, context)
  try {
    const print = (plan: HostPlan): number => {
      const format = { cwd, style: terminal.outStyle, explain: options.explain === true }
      const text =
        options.json === true
          ? toJson(plan, { ...format, watch: options.watch === true })
          : toText(plan, format)
      terminal.stdout.write(`${text}\n`)
      if (!isGood(plan, paths, cwd)) return EXIT.usage
      return options.strict === true ? strictCode(plan, paths, cwd) : EXIT.completed
    }
    const code = print(options.connect === true ? await host.inspect() : host.plan())
    if (options.watch !== true) return code
    const { watchChecks } = await import('../watch/watch-files.ts')
    return await watchChecks(host, { code, print, connect: options.connect === true }, context)
  } finally {
    await host.close()
  }
}

interface CheckFormat extends ProblemFormat {
  readonly explain: boolean
}

/**
 * Converts the plan to JSON: one line per plan with `--watch`, and the fields of cards only with `--explain`.
 */
function toJson(
  { cards, ...plan }: HostPlan,
  { explain, watch = false }: CheckFormat & Pick<CheckOptions, 'watch'>,
): string {
  return JSON.stringify(explain ? { ...plan, cards } : plan, null, watch ? 0 : 2)
}

function toText(plan: HostPlan, format: CheckFormat): string {
  const parts = [
    problemLines(plan.problems, format),
    format.explain ? explanationLines(plan.cards, format) : [],
    agentTree(plan, format),
    variableLines(plan),
    [summaryOf(plan)],
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function variableLines(plan: HostPlan): readonly string[] {
  if (plan.variables.length === 0) return []
  const rows = plan.variables.map((variable) => [
    variable.name,
    variable.origin ?? 'missing',
    variable.neededFor,
    variable.agents.join(', '),
  ])
  const columns = ['variable', 'from', 'needed for', 'agents'].map((title) => ({ title }))
  return tableLines(
    columns,
    rows.map((cells) => cells.map((cell) => plainText(cell))),
  )
}

function summaryOf({ agents, problems }: HostPlan): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length
  return [
    countText(agents.length, 'agent'),
    countText(errors, 'error'),
    countText(problems.length - errors, 'warning'),
  ].join(', ')
}

/** Warnings about missing descriptions and naming, which do not affect a run. */
const ADVICE: ReadonlySet<string> = new Set(['card_no_description', 'name_shadowed'])

/** Returns the exit code for warnings under `--strict`, about the given agents and those they reach. */
function strictCode(plan: HostPlan, paths: readonly string[], cwd: string): number {
  const isGivenFile = givenFileMatcher(paths, cwd)
  const givenAgents = plan.agents.filter(({ file }) => isGivenFile(file)).map(({ name }) => name)
  if (startProblems(plan, givenAgents).length > 0) return EXIT.usage
  const reached = reachable(plan, givenAgents)
  const weakening = plan.problems.filter(
    ({ agent, code }) => (agent === undefined || reached.has(agent)) && !ADVICE.has(code),
  )
  return weakening.length > 0 ? EXIT.partial : EXIT.completed
}

function givenFileMatcher(paths: readonly string[], cwd: string): (file: string) => boolean {
  const givenPaths = paths.map((path) => resolve(cwd, path))
  return (file) => givenPaths.some((path) => isInside(path, resolve(cwd, file)))
}

function isGood(plan: HostPlan, paths: readonly string[], cwd: string): boolean {
  const isGivenFile = givenFileMatcher(paths, cwd)
  const agents = plan.agents.filter(({ file }) => isGivenFile(file))
  const isBad = (problem: PlanProblem): boolean =>
    problem.severity === 'error' && (problem.file === undefined || isGivenFile(problem.file))
  if (plan.problems.some(isBad)) return false
  const names = agents.map(({ name }) => name)
  return (
    agents.length === 0 || (agents.every(({ runnable }) => runnable) && errorsOf(plan, names).length === 0)
  )
}

const COLUMNS = ['field', 'status', 'to', 'reason'].map((title) => ({ title }))

/** Returns the lines of `--explain`: the format of each card, and the status of each field. */
function explanationLines(cards: readonly PlannedCard[], format: ProblemFormat): readonly string[] {
  return cards.flatMap((card, index) => [...(index === 0 ? [] : ['']), ...cardLines(card, format)])
}

function cardLines(
  { file, agent, dialect, fields }: PlannedCard,
  { cwd, style }: ProblemFormat,
): readonly string[] {
  const path = plainText(shortPath(file, cwd))
  const name = agent === undefined ? path : `${plainText(agent)}  ${path}`
  const title = `${style.bold(name)}  read as ${dialect}`
  if (fields.length === 0) return [title, '  no fields']
  const rows = fields.map(({ key, status, to, reason }) =>
    [key, status, to ?? '', reason ?? ''].map((cell) => plainText(cell)),
  )
  return [title, ...tableLines(COLUMNS, rows).map((line) => `  ${line}`.trimEnd())]
}
