import {
  failure,
  getOwn,
  hasAnswer,
  isJsonObject,
  type AgentDefinition,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import type { Compose, ComposeContext, RunResult } from '@troupe/schema/ports'
import { askJson } from './ask-json.ts'
import {
  delegate,
  type Delegation,
  describeMembers,
  type Member,
  type Members,
  toAnswerEnd,
  toFailedEnd,
  missingResultsFailure,
  resultSection,
} from './delegate.ts'

/** Maximum rounds of planning if the card sets none. */
const PLAN_ITERATIONS = 5

interface Plan {
  readonly done: boolean
  readonly tasks: readonly Delegation[]
}

/**
 * Repeats planning by its own model and parallel work by its agents until the plan is done, then lets the
 * model write the answer.
 */
export function orchestrator({ agents }: Members): Compose {
  return async (context) => {
    const rounds = planRounds(context.definition)
    const results: RunResult[] = []
    let news: readonly RunResult[] = []
    let done = false
    for (let round = 1; round <= rounds && !done; round++) {
      const planned = await plan(context, agents, news)
      if ('failure' in planned) return toFailedEnd(planned.failure, results.map(resultSection).join('\n\n'))
      news = await delegate(context, planned.value.tasks)
      results.push(...news)
      if (results.length > 0) context.savePartialText(results.map(resultSection).join('\n\n'))
      done = planned.value.done
    }
    return synthesise(context, { results, news, isDone: done, rounds })
  }
}

/**
 * Returns the maximum number of plans per run: the value of the card, or for -1 the turn limit of the agent.
 */
function planRounds({
  composition: { planIterations = PLAN_ITERATIONS },
  limits,
}: Pick<AgentDefinition, 'composition' | 'limits'>): number {
  return planIterations === -1 ? limits.maxTurns : planIterations
}

function plan(
  context: ComposeContext,
  agents: readonly Member[],
  news: readonly RunResult[],
): ReturnType<typeof askJson<Plan>> {
  return askJson(context, {
    prompt: news.length === 0 ? firstPrompt(context.input, agents) : nextPrompt(news),
    schema: planSchema(agents),
    read: (value) => readPlan(value, agents),
  })
}

const FORM =
  'Answer with a JSON object: {"tasks": [{"agent": "<name>", "task": "<what the agent should do>"}], "done": <true when no further tasks are needed after these>}'

function firstPrompt(input: string, agents: readonly Member[]): string {
  return [
    'Plan the work for the request. List the tasks that can run in parallel and assign each to one agent. An agent sees only its own task.',
    `Agents:\n${describeMembers(agents)}`,
    `Request:\n${input}`,
    FORM,
  ].join('\n\n')
}

function nextPrompt(news: readonly RunResult[]): string {
  return [
    ...news.map(resultSection),
    `Plan the next tasks. If the request can be answered now, return no tasks and "done": true. ${FORM}`,
  ].join('\n\n')
}

async function synthesise(
  context: ComposeContext,
  work: {
    readonly results: readonly RunResult[]
    readonly news: readonly RunResult[]
    readonly isDone: boolean
    readonly rounds: number
  },
): ReturnType<Compose> {
  const { results, news, isDone, rounds } = work
  const gone = unrecovered(results)
  if (results.length > 0 && !results.some(({ outcome }) => hasAnswer(outcome))) {
    return toFailedEnd(results[0]?.failure ?? failure('child_failed', 'No agent returned an answer.'))
  }
  const reply = await context.ask(
    [
      ...news.map(resultSection),
      'Answer the request from the results of the agents. If something is missing, say what.',
    ].join('\n\n'),
  )
  if ('failure' in reply) return toFailedEnd(reply.failure, results.map(resultSection).join('\n\n'))
  const unfinished = isDone
    ? undefined
    : failure(
        'composition_unfinished',
        `${context.definition.name} did not finish within ${rounds} rounds of planning.`,
      )
  return toAnswerEnd(reply.text, missingResultsFailure(gone) ?? unfinished)
}

/** Returns the incomplete results that no later answer of the same agent replaces. */
function unrecovered(results: readonly RunResult[]): readonly RunResult[] {
  return results.filter(
    (result, index) =>
      result.outcome !== 'completed' &&
      !results.slice(index + 1).some((later) => later.agent === result.agent && hasAnswer(later.outcome)),
  )
}

function planSchema(agents: readonly Member[]): JsonObject {
  const task = {
    type: 'object',
    properties: {
      agent: { type: 'string', enum: agents.map(({ name }) => name) },
      task: { type: 'string' },
    },
    required: ['agent', 'task'],
    additionalProperties: false,
  }
  return {
    type: 'object',
    properties: { tasks: { type: 'array', items: task }, done: { type: 'boolean' } },
    required: ['tasks', 'done'],
    additionalProperties: false,
  }
}

function readPlan(
  value: JsonObject | undefined,
  agents: readonly Member[],
): Plan | { readonly problem: string } {
  const written = value === undefined ? undefined : getOwn(value, 'tasks')
  if (value === undefined || !Array.isArray(written))
    return { problem: 'The plan is not a JSON object with tasks.' }
  const tasks: Delegation[] = []
  for (const item of written as readonly Json[]) {
    const name = isJsonObject(item) ? getOwn(item, 'agent') : undefined
    const input = isJsonObject(item) ? getOwn(item, 'task') : undefined
    const member = agents.find((agent) => agent.name === name)
    if (member === undefined || typeof input !== 'string') {
      const known = agents.map((agent) => agent.name).join(', ')
      return { problem: `Every task needs a "task" and an "agent", one of: ${known}.` }
    }
    tasks.push({ member, input })
  }
  return { tasks, done: tasks.length === 0 || getOwn(value, 'done') === true }
}
