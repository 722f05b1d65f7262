import { resolve } from 'node:path'
import { isInside } from '@troupe/schema/paths'
import type {
  Host,
  HostPlan,
  PlanProblem,
  PlannedCard,
  PlannedAgent,
  PlannedTool,
  WorstCase,
} from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { HANGING_INDENT, wrapText } from '../terminal/wrap.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import {
  errorsOf,
  isAdvice,
  reachable,
  startProblems,
  problemLines,
  shortPath,
  type ProblemFormat,
} from '../reporter/plan-problems.ts'
import { countText, tableLines, branchLines } from '../reporter/table.ts'

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
  const explain = options.explain === true
  const inspect = options.connect === true ? () => inspectServers(host, options, context) : undefined
  const upcoming = explain ? (await import('../reporter/schedule-table.ts')).upcomingLines : undefined
  try {
    const print = (plan: HostPlan): number => {
      const schedules = upcoming?.(host.schedules(), context.clock.now()) ?? []
      const connected = options.connect === true
      const format = { cwd, style: terminal.outStyle, explain, schedules, connected }
      const text =
        options.json === true
          ? toJson(plan, { ...format, watch: options.watch === true })
          : wrapText(toText(plan, format), terminal.stdout, HANGING_INDENT)
      terminal.stdout.write(`${text}\n`)
      if (!isGood(plan, paths, cwd)) return EXIT.usage
      return options.strict === true ? strictCode(plan, paths, cwd) : EXIT.completed
    }
    const code = print(inspect === undefined ? host.plan() : await inspect())
    if (options.watch !== true) return code
    const { watchChecks } = await import('../watch/watch-files.ts')
    return await watchChecks(host, { code, print, inspect }, context)
  } finally {
    await host.close()
  }
}

/** Time in ms after which the connected servers are named, because the first start may download a package. */
const SLOW_CONNECT_MS = 2000

/** Connects the MCP servers and returns the plan with their tools. On a terminal it names them if that is slow. */
async function inspectServers(
  host: Host,
  { json }: CheckOptions,
  { terminal: { stderr }, clock, stop }: CommandContext,
): Promise<HostPlan> {
  if (json === true || stderr.isTTY !== true) return host.inspect()
  const cancel = clock.after(SLOW_CONNECT_MS, () => {
    const names = connectableServers(host.plan())
    if (names.length > 0 && !stop.silent)
      stderr.write(`${wrapText(plainText(`Connecting to ${names.join(', ')}…`), stderr)}\n`)
  })
  try {
    return await host.inspect()
  } finally {
    cancel()
  }
}

/** Returns the names of the servers that are connected: those of agents without errors, with all variables set. */
function connectableServers({ agents, variables }: HostPlan): readonly string[] {
  const missing = variables.filter(({ origin }) => origin === undefined)
  const isMissing = (name: string, agent: string): boolean =>
    missing.some((variable) => variable.server === name && variable.agents.includes(agent))
  const names = agents
    .filter(({ runnable }) => runnable)
    .flatMap(({ name, servers }) => servers.filter((server) => !isMissing(server, name)))
  return [...new Set(names)]
}

interface CheckFormat extends ProblemFormat {
  readonly explain: boolean
  /** Lines about the next firings of the schedules. */
  readonly schedules: readonly string[]
  /** True if the MCP servers were connected, as far as they could be. */
  readonly connected: boolean
}

/**
 * Converts the plan to JSON: one line per plan with `--watch`, and the fields of cards only with `--explain`.
 */
function toJson(
  { cards, ...plan }: HostPlan,
  { explain, watch = false }: Pick<CheckFormat, 'explain'> & Pick<CheckOptions, 'watch'>,
): string {
  return JSON.stringify(explain ? { ...plan, cards } : plan, null, watch ? 0 : 2)
}

function toText(plan: HostPlan, format: CheckFormat): string {
  const parts = [
    problemLines(plan.problems, format),
    format.explain ? explanationLines(plan.cards, format) : [],
    format.schedules,
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

/** Returns the exit code for warnings under `--strict`, about the given agents and those they reach. */
function strictCode(plan: HostPlan, paths: readonly string[], cwd: string): number {
  const isGivenFile = givenFileMatcher(paths, cwd)
  const givenAgents = plan.agents.filter(({ file }) => isGivenFile(file)).map(({ name }) => name)
  if (startProblems(plan, givenAgents).length > 0) return EXIT.usage
  const reached = reachable(plan, givenAgents)
  const weakening = plan.problems.filter(
    (problem) =>
      (problem.agent === undefined || reached.has(problem.agent)) &&
      problem.code !== 'name_shadowed' &&
      !isAdvice(problem),
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
  // The error of a file without agents may be in another file, such as the configuration of its project.
  if (agents.length === 0) return plan.problems.every(({ severity }) => severity !== 'error')
  const names = agents.map(({ name }) => name)
  return agents.every(({ runnable }) => runnable) && errorsOf(plan, names).length === 0
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

/** Returns the agents of a plan as a tree. An agent that is already shown is only named. */
function agentTree(plan: HostPlan, format: CheckFormat): readonly string[] {
  const shown = new Set<string>()
  const unreached = new Set(plan.unreached)
  const agents = new Map(plan.agents.map((agent) => [agent.name, agent]))
  const draw = (agent: PlannedAgent, isRoot: boolean): readonly string[] => {
    if (shown.has(agent.name)) return [`${plainText(agent.name)} ${format.style.dim('(see above)')}`]
    shown.add(agent.name)
    const children = agent.children.flatMap((name) => agents.get(name) ?? [])
    return [
      headOf(agent, { plan, unreached }, format),
      ...agentFacts(agent, { isRoot, unlisted: unlistedReasons(agent, plan, format) }).map(
        (fact) => `${children.length > 0 ? '│' : ' '}   ${plainText(fact)}`,
      ),
      ...children.flatMap((child, index) => branchLines(draw(child, false), index === children.length - 1)),
    ]
  }
  return rootsOf(plan).flatMap((root) => (shown.has(root.name) ? [] : draw(root, true)))
}

/**
 * Returns the entry agent, then agents that no other agent calls, then all others, for those that are only
 * reachable through a cycle.
 */
function rootsOf(plan: HostPlan): readonly PlannedAgent[] {
  const called = new Set(plan.agents.flatMap((agent) => agent.children))
  const isEntry = (agent: PlannedAgent): boolean => agent.name === plan.entry
  return [
    ...plan.agents.filter(isEntry),
    ...plan.agents.filter((agent) => !isEntry(agent) && !called.has(agent.name)),
    ...plan.agents.filter((agent) => !isEntry(agent) && called.has(agent.name)),
  ]
}

function headOf(
  agent: PlannedAgent,
  { plan, unreached }: { readonly plan: HostPlan; readonly unreached: ReadonlySet<string> },
  { cwd, style }: ProblemFormat,
): string {
  const marks = [
    agent.name === plan.entry ? 'entry' : undefined,
    unreached.has(agent.name) ? 'not reached from the entry' : undefined,
    agent.type === 'agent' ? undefined : agent.type,
    agent.hidden ? 'hidden' : undefined,
    agent.runnable ? undefined : 'cannot run',
  ].filter((mark) => mark !== undefined)
  const suffix = marks.length === 0 ? '' : `  [${marks.join(', ')}]`
  return `${style.bold(plainText(agent.name))}  ${style.dim(shortPath(agent.file, cwd))}${suffix}`
}

const MOST_REACHED = 12
const PERMISSION_MARKS = { allow: '', ask: ' (asks)', deny: ' (denied)' } as const

/**
 * Returns the facts of a plan about one agent, one line each. Reached tools and worst-case usage are given
 * for root agents only.
 */
function agentFacts(
  agent: PlannedAgent,
  { isRoot, unlisted }: { readonly isRoot: boolean; readonly unlisted: ReadonlyMap<string, string> },
): readonly string[] {
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['models', agent.models],
    ['unknown price', agent.unpriced],
    ['prices', agent.prices.map(priceFact)],
    ['servers', agent.servers.map((name) => `${name}${unlisted.get(name) ?? ''}`)],
    [
      'tools',
      agent.tools.filter((tool) => tool.source !== 'agent' || tool.permission !== 'allow').map(toolFact),
    ],
    ['hooks', agent.toolHooks],
    ['guards', agent.guards],
    ['output', agent.outputNotes],
    ['reaches', isRoot ? reachFacts(agent) : []],
    ['at most', isRoot && agent.children.length > 0 ? worstCaseFacts(agent.worstCase) : []],
  ]
  return facts.flatMap(([word, values]) => (values.length === 0 ? [] : [`${word}: ${values.join(', ')}`]))
}

/** Returns the price of a model with its date. */
function priceFact({ model, input, output, seen }: PlannedAgent['prices'][number]): string {
  const origin = seen === undefined ? 'configured' : `list price of ${seen}`
  return `${model} $${input} in and $${output} out per million tokens (${origin})`
}

/** Returns a note in brackets for each MCP server of an agent whose tools are not listed. */
function unlistedReasons(
  { name: agent, unlistedServers }: PlannedAgent,
  { variables }: HostPlan,
  { connected }: CheckFormat,
): ReadonlyMap<string, string> {
  const reasonOf = (name: string): string => {
    if (!connected) return 'tools: --connect'
    const missing = variables.filter(
      ({ origin, server, agents }) => origin === undefined && server === name && agents.includes(agent),
    )
    if (missing.length === 0) return 'not connected'
    const names = missing.map((variable) => variable.name).join(', ')
    return `not connected: ${names} ${missing.length === 1 ? 'is' : 'are'} not set`
  }
  return new Map(unlistedServers.map((server) => [server, ` (${reasonOf(server)})`]))
}

function toolFact({ name, permission }: PlannedTool): string {
  return `${name}${PERMISSION_MARKS[permission]}`
}

function reachFacts({ reaches }: PlannedAgent): readonly string[] {
  const shown = reaches.slice(0, MOST_REACHED).map((tool) => `${toolFact(tool)} via ${tool.via.join(' -> ')}`)
  const more = reaches.length - shown.length
  return more > 0 ? [...shown, `${more} more (--json)`] : shown
}

function worstCaseFacts({
  runs,
  modelCalls,
  toolCalls,
  tokens,
  cost,
  durationMs,
}: WorstCase): readonly string[] {
  return [
    `${formatNumber(runs)} runs`,
    `${formatNumber(modelCalls)} model calls`,
    `${formatNumber(toolCalls)} tool calls`,
    tokens === undefined ? 'unlimited tokens' : `${formatNumber(tokens)} tokens`,
    cost === undefined ? 'unlimited cost' : `$${cost}`,
    ...(durationMs === undefined ? [] : [`${formatNumber(durationMs / 1000)} s`]),
  ]
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}
