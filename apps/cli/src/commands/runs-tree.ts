import type { RunEvent } from '@troupe/schema'
import { childrenOf, formatDuration, plainText, type TimelineRun, type Timeline } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { OUTCOME_LOOKS } from '../reporter/outcomes.ts'
import { readableEvents } from '../run-store/run-summary.ts'
import { type StoreOptions, withRun } from '../run-store/open-store.ts'
import { printDamage } from '../reporter/end.ts'
import type { Style } from '../terminal/terminal.ts'
import { timelineOf } from '../reporter/run-blocks.ts'
import { branchLines } from '../reporter/table.ts'
import { storeOption } from '../reporter/waiting.ts'
import { runnable } from '../terminal/runnable.ts'

/** Runs `troupe runs tree RUN`: prints the tree of agent runs with the steps that a fork can start from. */
export function runsTreeCommand(
  run: string,
  options: StoreOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, outStyle } = context.terminal
  return withRun(run, { options, context }, async ({ rootRunId }, store) => {
    const { events, damage } = await readableEvents(store, rootRunId)
    const timeline = timelineOf(events)
    const steps = await forkSteps(rootRunId, events)
    const roots = timeline.runs.filter((run) => run.parentRunId === undefined)
    if (options.json === true)
      stdout.write(
        `${JSON.stringify(
          roots.map((run) => toNode({ timeline, steps }, run)),
          null,
          2,
        )}\n`,
      )
    else {
      for (const line of roots.flatMap((run) => toLines({ timeline, steps }, run, outStyle)))
        stdout.write(`${line}\n`)
      if (stdout.isTTY === true && steps.size > 0)
        stdout.write(`${outStyle.dim(forkHint(rootRunId, options, context))}\n`)
    }
    return printDamage(damage, context)
  })
}

/** Timeline of a run tree, with the steps of each run by run id. */
interface TimelineTree {
  readonly timeline: Timeline
  readonly steps: ForkSteps
}

interface TreeNode {
  readonly runId: string
  readonly instance: string
  readonly agent: string
  readonly outcome?: TimelineRun['outcome']
  readonly durationMs?: number
  readonly toolCalls: number
  /** Turns of the run, in the form that `--at` of `troupe runs fork` takes. */
  readonly steps: readonly string[]
  readonly children: readonly TreeNode[]
}

function toNode(tree: TimelineTree, run: TimelineRun): TreeNode {
  const { runId, instance, agent, outcome, durationMs, usage } = run
  return {
    runId,
    instance,
    agent,
    ...(outcome === undefined ? {} : { outcome }),
    ...(durationMs === undefined ? {} : { durationMs }),
    toolCalls: usage.toolCalls,
    steps: tree.steps.get(runId) ?? [],
    children: childrenOf(tree.timeline, runId).map((child) => toNode(tree, child)),
  }
}

function toLines(tree: TimelineTree, run: TimelineRun, style: Style): readonly string[] {
  const children = childrenOf(tree.timeline, run.runId)
  return [
    headOf(run, style) + style.dim(stepsText(tree.steps.get(run.runId))),
    ...children.flatMap((child, index) =>
      branchLines(toLines(tree, child, style), index === children.length - 1),
    ),
  ]
}

function headOf({ instance, outcome, durationMs, activity }: TimelineRun, style: Style): string {
  const name = plainText(instance)
  if (outcome === undefined) return `${name}  ${style.dim(activity)}`
  const { mark, word, color } = OUTCOME_LOOKS[outcome]
  const time = durationMs === undefined ? '' : style.dim(` (${formatDuration(durationMs)})`)
  return `${style[color](mark)} ${name}  ${style[color](word)}${time}`
}

function stepsText(steps: readonly string[] = []): string {
  const [first, last] = [steps[0], steps.at(-1)]
  if (first === undefined) return ''
  return first === last ? `  --at ${first}` : `  --at ${first} to ${last}`
}

/** Returns the command to which the `--at` of the rows belongs. */
function forkHint(rootRunId: string, { store }: StoreOptions, { env }: CommandContext): string {
  return `fork: ${runnable(`troupe runs fork ${rootRunId} --at TURN${storeOption(store)}`, env)}`
}

/** The turns of each run, by run id. */
type ForkSteps = ReadonlyMap<string, readonly string[]>

/**
 * Returns the turns of each run by run id, in the form that `--at` takes: `2` in the root run, `1.2/3` in the
 * child run of call 1.2.
 */
async function forkSteps(rootRunId: string, events: readonly RunEvent[]): Promise<ForkSteps> {
  const { createRunPaths } = await import('@troupe/cassette')
  const paths = createRunPaths(rootRunId)
  const steps = new Map<string, string[]>()
  for (const event of events) {
    paths.addEvent(event)
    if (event.type !== 'turn-start') continue
    const path = paths.pathOf(event.runId).slice(1)
    const step = path === '' ? `${event.turn}` : `${path}/${event.turn}`
    const known = steps.get(event.runId) ?? []
    steps.set(event.runId, known.includes(step) ? known : [...known, step])
  }
  return steps
}
