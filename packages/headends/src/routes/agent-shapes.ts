import {
  TOOL_SOURCES,
  type AgentMode,
  type AgentType,
  type Failure,
  type InputContract,
  type Limits,
  type OutputContract,
  type ToolCapability,
  type ToolSource,
} from '@troupe/schema'
import { AGENT_MODES, AGENT_TYPES, TOOL_CAPABILITIES } from '@troupe/schema/agent-keys'
import { z } from 'zod'
import { count, errorCodeShape, jsonObjectShape } from './shapes.ts'

/** A served agent with its plan (`GET /api/agents`). Variables have names and origins, never values. */
export interface ServedAgent {
  readonly name: string
  readonly description?: string
  readonly usage?: string
  readonly version?: string
  readonly type: AgentType
  readonly mode: AgentMode
  /** True if the agent runs when no agent is named. */
  readonly entry: boolean
  readonly models: readonly string[]
  readonly children: readonly string[]
  readonly servers: readonly string[]
  readonly tools: readonly ServedTool[]
  readonly reaches: readonly (ServedTool & { readonly via: readonly string[] })[]
  readonly worstCase: AgentWorstCase
  readonly limits: Partial<Limits>
  readonly input?: InputContract
  readonly output?: OutputContract
  readonly env: readonly AgentVariable[]
  readonly problems: readonly AgentProblem[]
}

/** A tool of an agent. */
export interface ServedTool {
  readonly name: string
  readonly source: ToolSource
  readonly server?: string
  readonly permission: 'allow' | 'ask' | 'deny'
  readonly capabilities?: readonly ToolCapability[]
}

/** Upper bounds of one run. A missing field means no bound. */
export interface AgentWorstCase {
  readonly runs: number
  readonly modelCalls: number
  readonly toolCalls: number
  readonly tokens?: number
  /** In USD. */
  readonly cost?: number
  readonly durationMs?: number
}

/** A variable that an agent needs. */
export interface AgentVariable {
  readonly name: string
  readonly neededFor: string
  readonly isSet: boolean
  /** The origin of the value. Only sent to the operator. */
  readonly origin?: string
}

/** An error or a warning about an agent. */
export interface AgentProblem extends Pick<Failure, 'code' | 'message'> {
  readonly severity: 'error' | 'warning'
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly fix?: string
}

/** The served agents, the entry agent first. */
export interface AgentList {
  readonly agents: readonly ServedAgent[]
  readonly maxBodyBytes: number
}

const toolFields = {
  name: z.string(),
  source: z.enum(TOOL_SOURCES),
  server: z.string().exactOptional(),
  permission: z.enum(['allow', 'ask', 'deny']),
  capabilities: z.array(z.enum(TOOL_CAPABILITIES)).exactOptional(),
}

const worstCaseShape: z.ZodType<AgentWorstCase> = z
  .object({
    runs: z.number(),
    modelCalls: z.number(),
    toolCalls: z.number(),
    tokens: z.number().exactOptional(),
    cost: z.number().exactOptional().meta({ description: 'In USD.' }),
    durationMs: z.number().exactOptional(),
  })
  .meta({ id: 'AgentWorstCase', description: 'Upper bounds of one run. A missing field means no bound.' })

const variableShape: z.ZodType<AgentVariable> = z
  .object({
    name: z.string(),
    neededFor: z.string(),
    isSet: z.boolean(),
    origin: z
      .string()
      .exactOptional()
      .meta({ description: 'Where the value comes from. Only sent to operators.' }),
  })
  .meta({ id: 'AgentVariable' })

/** Schema of a problem of an agent. */
export const agentProblemShape: z.ZodType<AgentProblem> = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: errorCodeShape,
    message: z.string(),
    file: z.string().exactOptional(),
    line: count.exactOptional(),
    column: count.exactOptional(),
    fix: z.string().exactOptional(),
  })
  .meta({ id: 'AgentProblem' })

const LIMIT_FIELDS: { readonly [Key in keyof Limits]-?: z.ZodType<Limits[Key] | undefined> } = {
  maxTurns: z.number(),
  maxToolCallsPerTurn: z.number(),
  maxParallel: z.number(),
  parallelToolCalls: z.boolean(),
  maxDepth: z.number(),
  maxRuns: z.number(),
  hookTimeout: z.number(),
  llmTimeout: z.number(),
  toolTimeout: z.number(),
  childTimeout: z.number(),
  idleTimeout: z.number(),
  timeout: z.number(),
  maxRetries: z.number(),
  approvalTimeout: z.number(),
  maxTokens: z.number(),
  maxCost: z.number(),
  maxToolResultBytes: z.number(),
}

/** Schema of the served agents. */
export const agentListShape: z.ZodType = z
  .object({
    agents: z.array(
      z
        .object({
          name: z.string(),
          description: z.string().optional(),
          usage: z.string().optional(),
          version: z.string().optional(),
          type: z.enum(AGENT_TYPES),
          mode: z.enum(AGENT_MODES),
          entry: z.boolean().meta({ description: 'True if it runs when no agent is named.' }),
          models: z.array(z.string()),
          children: z.array(z.string()),
          servers: z.array(z.string()),
          tools: z.array(z.object(toolFields).meta({ id: 'ServedTool' })),
          reaches: z.array(z.object({ ...toolFields, via: z.array(z.string()) }).meta({ id: 'ReachedTool' })),
          worstCase: worstCaseShape,
          limits: z
            .object(LIMIT_FIELDS)
            .partial()
            .meta({ id: 'Limits', description: 'Times are in ms, costs in USD.' }),
          input: z
            .object({
              format: z.enum(['text', 'json']),
              schema: jsonObjectShape.optional(),
              message: z.string().optional(),
              template: z.literal('jinja').optional(),
            })
            .optional(),
          output: z
            .object({ format: z.enum(['text', 'markdown', 'json']), schema: jsonObjectShape.optional() })
            .optional(),
          env: z.array(variableShape),
          problems: z.array(agentProblemShape),
        })
        .meta({ id: 'Agent' }),
    ),
    maxBodyBytes: count.meta({ description: 'The largest request body that the server accepts, in bytes.' }),
  })
  .meta({ id: 'AgentList' })
