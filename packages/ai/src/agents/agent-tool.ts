import {
  failure,
  hasAnswer,
  troupeError,
  type AgentDefinition,
  type AgentRunner,
  type Failure,
  type Json,
  type JsonObject,
  type Outcome,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { publicFailure } from '@troupe/schema/public'
import { jsonSchema, tool, type JSONSchema7, type Tool } from 'ai'

/** Options of {@link agentTool}: those of its runs. */
export type AgentToolOptions = Pick<
  RunOptions,
  'approve' | 'ask' | 'budget' | 'model' | 'onEvent' | 'principal' | 'priority' | 'spendingLimit' | 'timeout'
>

/** The output of {@link agentTool}: first the progress of the run, at last its answer. */
export interface AgentToolOutput {
  readonly agent: string
  /** `running` in preliminary outputs. */
  readonly outcome: Outcome | 'running'
  /** The answer; in preliminary outputs the last text of the agent. */
  readonly text: string
  /** The answer as JSON, if the output of the agent has a schema. */
  readonly value?: Json
  /** Tool that was called last, with the agent that called it. */
  readonly activity?: string
  /** Reason why a `partial` answer is incomplete. */
  readonly problem?: string
}

const TEXT_INPUT: JSONSchema7 = {
  type: 'object',
  properties: { text: { type: 'string', description: 'The task, with everything the agent needs to know' } },
  required: ['text'],
  additionalProperties: false,
}

/** Characters of the instruction that replace a missing description. */
const DESCRIPTION_LIMIT = 300

/**
 * Returns an agent as a tool of the AI SDK. Each call is a run of its own, whose input is that of the agent. Without
 * `approve` the agent gets no tools that need an approval. A run without an answer becomes the error of the call.
 * Throws `agent_unknown`.
 */
export function agentTool(
  runner: Pick<AgentRunner, 'agents' | 'run'>,
  name: string,
  options: AgentToolOptions = {},
): Tool<JsonObject, AgentToolOutput> {
  const { description, instruction, input } = definitionOf(runner, name)
  return tool({
    description: description ?? instruction.slice(0, DESCRIPTION_LIMIT).toWellFormed(),
    inputSchema: jsonSchema<JsonObject>((input.schema as JSONSchema7 | undefined) ?? TEXT_INPUT),
    execute: (args, { abortSignal }) => {
      const { text } = args
      const task = input.schema === undefined && typeof text === 'string' ? text : args
      return runWithProgress({ agent: name, task, abortSignal, options }, runner)
    },
    toModelOutput: ({ output }) => toModelOutput(output),
  })
}

function definitionOf(runner: Pick<AgentRunner, 'agents'>, name: string): AgentDefinition {
  const agents = runner.agents()
  const found = agents.find((agent) => agent.name === name)
  if (found !== undefined) return found
  const names = agents.map((agent) => agent.name).join(', ')
  throw troupeError('agent_unknown', `There is no agent "${name}". Agents: ${names}.`)
}

interface AgentToolCall {
  readonly agent: string
  readonly task: string | JsonObject
  readonly abortSignal: AbortSignal | undefined
  readonly options: AgentToolOptions
}

/** Runs an agent. Yields its progress and then its answer. Throws if it has none. Cancels it if stopped early. */
async function* runWithProgress(
  { agent, task, abortSignal, options }: AgentToolCall,
  runner: Pick<AgentRunner, 'run'>,
): AsyncGenerator<AgentToolOutput> {
  const stop = new AbortController()
  const signal = abortSignal === undefined ? stop.signal : AbortSignal.any([abortSignal, stop.signal])
  let progress: AgentToolOutput = { agent, outcome: 'running', text: '' }
  let changed = Promise.withResolvers<undefined>()
  const onEvent = (event: RunEvent): void => {
    options.onEvent?.(event)
    const next = reduceProgress(progress, event)
    if (next === progress) return
    progress = next
    changed.resolve(undefined)
  }
  const headless = options.approve === undefined
  const end = runner.run(agent, task, { ...options, headless, signal, onEvent })
  try {
    for (;;) {
      const report = await Promise.race([end, changed.promise])
      if (report !== undefined) {
        yield toOutput(report)
        return
      }
      changed = Promise.withResolvers()
      yield progress
    }
  } finally {
    stop.abort(failure('run_cancelled', 'The caller of the tool stopped.'))
  }
}

/** Returns the progress after an event; the same object if nothing changed. */
function reduceProgress(progress: AgentToolOutput, event: RunEvent): AgentToolOutput {
  if (event.type === 'tool-call') return { ...progress, activity: `${event.instance}: ${event.toolName}` }
  const isAnswer = event.type === 'text-end' && event.runId === event.rootRunId
  return isAnswer ? { ...progress, text: event.text } : progress
}

function toOutput({ agent, outcome, output, error }: RunReport): AgentToolOutput {
  const { text = '', value } = output
  const reason = error === undefined ? undefined : publicFailure(error)
  if (!hasAnswer(outcome)) throw new Error(failureText({ agent, outcome, text }, reason))
  return {
    agent,
    outcome,
    text,
    ...(value === undefined ? {} : { value }),
    ...(outcome === 'partial' ? { problem: reason?.message ?? 'The agent had not finished.' } : {}),
  }
}

function failureText(
  { agent, outcome, text }: Pick<AgentToolOutput, 'agent' | 'outcome' | 'text'>,
  reason: Failure | undefined,
): string {
  const why =
    reason === undefined ? '' : ` ${reason.message} Code: ${reason.code}. What to do: ${reason.remediation}`
  const partial = text === '' ? '' : `\nText before it ended:\n${text}`
  return `The agent ${agent} ended with the outcome ${outcome}.${why}${partial}`
}

function toModelOutput({
  text,
  value,
  problem,
}: AgentToolOutput): ReturnType<NonNullable<Tool['toModelOutput']>> {
  if (value !== undefined) return { type: 'json', value: value as never }
  return { type: 'text', value: problem === undefined ? text : `${text}\nPartial answer: ${problem}` }
}
