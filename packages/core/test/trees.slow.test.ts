import { sumUsage, type AgentDefinition, type Outcome, type RunEvent } from '@troupe/schema'
import { recordFigures, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { runRandomTree, type TreeRun } from './random-tree.ts'

/** The number of trees: `TREES=10000` runs them all; `SEED` sets the first seed. */
const TREES = Number(process.env['TREES'] ?? 400)
const SEED = Number(process.env['SEED'] ?? 1)

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

describe('random trees of agents', () => {
  it(
    `random trees of agents end every run once, return results in order, exceed no limit or budget, and leave nothing behind ${verifies('C48', 'C50', 'C51', 'R6')}`,
    { timeout: 600_000 },
    async ({ task }) => {
      const outcomes = new Map<Outcome, number>()
      let runs = 0
      for (let seed = SEED; seed < SEED + TREES; seed += 1) {
        const tree = await runRandomTree(seed)
        const found = problemsOf(tree)
        expect(found, `seed ${seed}`).toEqual([])
        runs += of(tree, 'run-start').length
        for (const { outcome } of [...of(tree, 'run-end'), ...of(tree, 'tool-result')])
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      const counts = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`)
      // print the counts: a case that never occurred was not tested
      process.stdout.write(
        `${TREES} trees from seed ${SEED}: ${(runs / TREES).toFixed(1)} runs each; ${counts.join(', ')}\n`,
      )
      expect(runs / TREES).toBeGreaterThanOrEqual(10)
      expect([...outcomes.values()].every((count) => count >= TREES / 100)).toBe(true)
      expect(outcomes.size).toBe(7)
      recordFigures(task, { 'random trees of agents': TREES, 'runs in random trees of agents': runs })
    },
  )
})

/** Returns everything that is wrong with one tree. */
function problemsOf(tree: TreeRun): readonly string[] {
  if (tree.result === undefined) return ['the root did not end']
  return [
    ...tree.complaints,
    ...endingProblems(tree),
    ...countProblems(tree),
    ...parallelProblems(tree),
    ...callProblems(tree),
    ...budgetProblems(tree),
    ...usageProblems(tree),
    ...(tree.leftTimers === 0 ? [] : [`${tree.leftTimers} timers are left`]),
  ]
}

function endingProblems(tree: TreeRun): readonly string[] {
  const started = of(tree, 'run-start').map(({ runId }) => runId)
  const ended = of(tree, 'run-end').map(({ runId }) => runId)
  const isTold = tree.events.at(-1)?.type === 'run-end' && tree.events.at(-1)?.runId === 'root'
  return [
    ...(new Set(started).size === started.length ? [] : ['a run started twice']),
    ...(started.toSorted().join() === ended.toSorted().join() ? [] : ['a run did not end exactly once']),
    ...(isTold ? [] : ['the end of the root is not the last event']),
  ]
}

function countProblems(tree: TreeRun): readonly string[] {
  const { maxRuns, maxDepth } = limitsOf(tree, 'L0N0')
  const starts = of(tree, 'run-start')
  const depth = Math.max(...starts.map((event) => event.depth))
  return [
    ...(starts.length <= maxRuns ? [] : [`${starts.length} runs of ${maxRuns}`]),
    ...(depth <= maxDepth ? [] : [`depth ${depth} of ${maxDepth}`]),
  ]
}

/** Returns a problem for each run with too many children at once. */
function parallelProblems(tree: TreeRun): readonly string[] {
  const agentOf = new Map<string, string>()
  const running = new Map<string, number>()
  const problems: string[] = []
  for (const event of tree.events) {
    if (event.type !== 'run-start' && event.type !== 'run-end') continue
    agentOf.set(event.runId, event.agent)
    const { parentRunId } = event
    if (parentRunId === undefined) continue
    const count = (running.get(parentRunId) ?? 0) + (event.type === 'run-start' ? 1 : -1)
    running.set(parentRunId, count)
    const { maxParallel } = limitsOf(tree, agentOf.get(parentRunId) ?? '')
    if (count > maxParallel) problems.push(`${count} children at once of ${maxParallel}`)
  }
  return problems
}

function callProblems(tree: TreeRun): readonly string[] {
  const run = new Map<string, number>()
  for (const { runId, callId, agent } of of(tree, 'tool-start')) {
    const turn = `${agent}/${runId}/${callId?.split('.')[0]}`
    run.set(turn, (run.get(turn) ?? 0) + 1)
  }
  return [...run].flatMap(([turn, count]) => {
    const { maxToolCallsPerTurn } = limitsOf(tree, turn.split('/')[0] ?? '')
    return count <= maxToolCallsPerTurn ? [] : [`${count} calls of ${maxToolCallsPerTurn} in ${turn}`]
  })
}

function budgetProblems(tree: TreeRun): readonly string[] {
  return of(tree, 'run-end').flatMap(({ agent, usage }) => {
    const { maxTokens = Infinity, maxCost = Infinity } = limitsOf(tree, agent)
    const tokens = usage.input + usage.output
    return [
      ...(tokens <= maxTokens ? [] : [`${agent} used ${tokens} of ${maxTokens} tokens`]),
      ...(usage.micros <= Math.round(maxCost * 1_000_000)
        ? []
        : [`${agent} used ${usage.micros} of ${maxCost}`]),
    ]
  })
}

function usageProblems(tree: TreeRun): readonly string[] {
  const told = sumUsage(of(tree, 'usage').map((event) => event.tokens))
  return of(tree, 'run-end').flatMap(({ agent, parentRunId, usage, byAgent }) => {
    const rows = sumUsage(Object.values(byAgent))
    const isWhole = parentRunId !== undefined || (told.input === usage.input && told.micros === usage.micros)
    return [
      ...(JSON.stringify(rows) === JSON.stringify(usage) ? [] : [`the rows of ${agent} do not sum`]),
      ...(isWhole ? [] : ['the events do not sum to the usage of the root']),
    ]
  })
}

function limitsOf({ definitions }: TreeRun, agent: string): Partial<AgentDefinition['limits']> & Caps {
  const limits = definitions.get(agent)?.limits
  if (limits === undefined) throw new RangeError(`no agent ${agent}`)
  return limits
}

type Caps = Pick<AgentDefinition['limits'], 'maxRuns' | 'maxDepth' | 'maxParallel' | 'maxToolCallsPerTurn'>

function of<T extends RunEvent['type']>({ events }: TreeRun, type: T): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}
