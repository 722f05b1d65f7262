import {
  getOwn,
  hasAnswer,
  type AgentDefinition,
  type JsonObject,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import type { RunResult } from '@troupe/schema/ports'
import { agentTool, toToolResult } from './agent-tool.ts'

/** Name of the tool, as in ai-agent. */
const HANDOFF = 'router__handoff-to'

/**
 * Creates the tool with which a model hands its request over to one of the agents, whose answer is then the
 * answer of the run. Rules, hooks and events see the agent's own tool. Returns `undefined` if there is no
 * agent.
 */
export function handoffTool(agents: readonly AgentDefinition[]): ToolDefinition | undefined {
  const [first] = agents
  if (first === undefined) return undefined
  const tools = new Map(agents.map((agent) => [agent.name, toDestination(agent)]))
  const resolve = (args: JsonObject): ToolDefinition =>
    tools.get(textOf(args, 'agent')) ?? toDestination(first)
  const list = agents.map(({ name, description }) => `- ${name}: ${description ?? 'no description'}`)
  return {
    name: HANDOFF,
    wireName: HANDOFF,
    source: 'agent',
    server: 'agent',
    description: `Hand the request over to another agent, which then answers in your place. Agents:\n${list.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: [...tools.keys()] },
        message: { type: 'string', description: 'What the agent should know besides the request' },
      },
      required: ['agent'],
      additionalProperties: false,
    },
    effect: 'idempotent',
    answersRun: true,
    resolve,
    execute: (args, context) => resolve(args).execute(args, context),
  }
}

/** Returns the tool of an agent that gets the request of the run and answers it. */
function toDestination(agent: AgentDefinition): ToolDefinition {
  const { name, digest } = agent
  return {
    ...agentTool(agent),
    answersRun: true,
    execute: (args, { run, site, attempt }) => {
      const { input: request } = run.request
      const message = textOf(args, 'message')
      const input = message === '' ? request : `${request}\n\n${message}`
      return run.child({ name, digest }, { site, attempt, input }).then(toAnswer)
    },
  }
}

function textOf(args: JsonObject, key: string): string {
  const value = getOwn(args, key)
  return typeof value === 'string' ? value : ''
}

/** Returns the bare answer with its failure. Without an answer, the model reads why. */
function toAnswer(result: RunResult): ToolResult {
  const { failure, ...complete } = result
  if (!hasAnswer(result.outcome)) return toToolResult(result)
  const answer = toToolResult({ ...complete, outcome: 'completed' })
  return { ...answer, outcome: result.outcome, ...(failure === undefined ? {} : { failure }) }
}
