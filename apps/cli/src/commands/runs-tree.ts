import { childrenOf, formatDuration, plainText, type RunView, type Timeline } from '@troupe/timeline'
import type { CommandContext } from '../context.ts'
import { OUTCOME_LOOKS } from '../reporter/outcomes.ts'
import { readableEvents } from '../stored/readable-events.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import { tellDamage } from '../stored/tell-damage.ts'
import { withRun } from '../stored/with-run.ts'
import type { Style } from '../style.ts'
import { timelineOf } from './runs-show.ts'

/** `troupe runs tree RUN`: the agents of a run, below each those it called, however many. */
export function runsTreeCommand(
  given: string,
  options: StoreOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<number> {
  const { stdout, outStyle } = context.terminal
  return withRun(given, { options, context }, async ({ rootRunId }, store) => {
    const { events, damage } = await readableEvents(store, rootRunId)
    const timeline = timelineOf(events)
    const roots = timeline.runs.filter((run) => run.parentRunId === undefined)
    if (options.json === true)
      stdout.write(
        `${JSON.stringify(
          roots.map((run) => toNode(timeline, run)),
          null,
          2,
        )}\n`,
      )
    else
      for (const line of roots.flatMap((run) => toLines(timeline, run, outStyle))) stdout.write(`${line}\n`)
    return tellDamage(damage, context)
  })
}

interface TreeNode {
  readonly runId: string
  readonly instance: string
  readonly agent: string
  readonly outcome?: RunView['outcome']
  readonly durationMs?: number
  readonly toolCalls: number
  readonly children: readonly TreeNode[]
}

function toNode(timeline: Timeline, run: RunView): TreeNode {
  const { runId, instance, agent, outcome, durationMs, usage } = run
  return {
    runId,
    instance,
    agent,
    ...(outcome === undefined ? {} : { outcome }),
    ...(durationMs === undefined ? {} : { durationMs }),
    toolCalls: usage.toolCalls,
    children: childrenOf(timeline, runId).map((child) => toNode(timeline, child)),
  }
}

function toLines(timeline: Timeline, run: RunView, style: Style): readonly string[] {
  const children = childrenOf(timeline, run.runId)
  return [
    headOf(run, style),
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1
      const [head = '', ...rest] = toLines(timeline, child, style)
      return [`${isLast ? '└─' : '├─'} ${head}`, ...rest.map((line) => `${isLast ? ' ' : '│'}  ${line}`)]
    }),
  ]
}

function headOf({ instance, outcome, durationMs, activity }: RunView, style: Style): string {
  const name = plainText(instance)
  if (outcome === undefined) return `${name}  ${style.dim(activity)}`
  const { mark, word, color } = OUTCOME_LOOKS[outcome]
  const time = durationMs === undefined ? '' : style.dim(` (${formatDuration(durationMs)})`)
  return `${style[color](mark)} ${name}  ${style[color](word)}${time}`
}
