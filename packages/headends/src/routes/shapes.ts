import {
  type AgentMode,
  type AgentType,
  ERRORS,
  EVENT_TYPES,
  FAILURE_CLASSES,
  OUTCOMES,
  type ErrorCode,
  type Failure,
  type Limits,
  type ModelChoice,
  type InputContract,
  type OutputContract,
  type ToolSource,
} from '@troupe/schema'
import { MAX_PROBLEM_MESSAGE, MAX_PROBLEMS } from '@troupe/schema/ports'
import { z } from 'zod'
import { RUN_STATES, type RunState, type RunPrompt } from '../run-service/run-view.ts'

const failureShape: z.ZodType = z
  .object({
    class: z.enum(FAILURE_CLASSES),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    remediation: z.string(),
  })
  .meta({ id: 'Failure' })

/** Schema of an error of Troupe's own routes. */
export const errorShape: z.ZodType = z.looseObject({ error: failureShape }).meta({ id: 'Error' })

const durationField = z.number().nonnegative().meta({
  description:
    'Wall time in ms from the first start of the run to its end, or to the last event of an interrupted run.',
})

const activeField = z.number().nonnegative().meta({
  description:
    'The part of `durationMs` in which the run was active, without the time it waited for a person and the time in which no process worked on it.',
})

const count = z.number().int().nonnegative()

const usageFields = {
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  cost: z.number().nullable().meta({ description: 'In USD; null if a price is unknown.' }),
  unpriced: z.array(z.string()),
  estimated: z.boolean(),
  modelCalls: count,
  toolCalls: count,
}

/** Schema of the usage of a run. */
const usageShape: z.ZodType = z
  .object({
    ...usageFields,
    byAgent: z.record(z.string(), z.object(usageFields)),
  })
  .meta({ id: 'Usage' })

/** Schema of the output of a run. */
const outputShape: z.ZodType = z
  .object({
    format: z.enum(['text', 'markdown', 'json']),
    text: z.string().optional(),
    value: z.unknown().optional(),
    files: z
      .array(
        z.object({
          mediaType: z.string(),
          data: z.string().optional().meta({ description: 'Content in base64.' }),
          filename: z.string().optional(),
          uri: z.string().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Output' })

const problemFields = {
  problems: z
    .array(
      z.object({
        runId: z.string(),
        agent: z.string(),
        instance: z.string(),
        tool: z.string().optional(),
        code: z.string(),
        message: z.string().max(MAX_PROBLEM_MESSAGE),
      }),
    )
    .max(MAX_PROBLEMS)
    .meta({
      description:
        'Tool calls and child runs that failed, were denied, timed out or gave a partial answer, and warnings that weaken the result.',
    }),
  problemCount: count.meta({ description: 'The number of problems, including those that are not listed.' }),
}

/** Schema of a run report, as `troupe run --json` prints it. */
export const reportShape: z.ZodType = z
  .object({
    runId: z.string(),
    agent: z.string(),
    outcome: z.enum(OUTCOMES),
    output: outputShape,
    error: failureShape.optional(),
    usage: usageShape,
    ...problemFields,
    sessionId: z.string(),
    durationMs: durationField,
    activeMs: activeField,
  })
  .meta({ id: 'RunReport' })

/** Schema of a run event. The fields of each type are described in the documentation of events. */
export const eventShape: z.ZodType = z
  .looseObject({
    type: z.enum(EVENT_TYPES as [(typeof EVENT_TYPES)[number], ...(typeof EVENT_TYPES)[number][]]),
    time: z.number(),
    runId: z.string(),
    rootRunId: z.string(),
    parentRunId: z.string().optional(),
    agent: z.string(),
    instance: z.string(),
    depth: count,
    callId: z.string().optional(),
    calledAs: z.string().optional(),
    seq: count.optional(),
    after: count.optional(),
  })
  .meta({ id: 'RunEvent' })

const summaryFields = {
  runId: z.string(),
  agent: z.string(),
  state: z.enum(RUN_STATES as [RunState, ...RunState[]]),
  sessionId: z.string(),
  startedAt: z.number(),
  durationMs: durationField.optional(),
  activeMs: activeField.optional(),
  cost: z.number().nullable().optional(),
  input: z.string(),
  detail: z.enum(['full', 'metadata']),
}

/** Schema of a run in a list. */
const summaryShape: z.ZodType = z
  .object({ ...summaryFields, principal: z.string().optional() })
  .meta({ id: 'RunSummary' })

const approvalFields = {
  approvalId: z.string(),
  agent: z.string(),
  instance: z.string(),
  toolName: z.string(),
  args: z.record(z.string(), z.unknown()),
  asks: z
    .object({
      question: z.string(),
      choices: z.array(z.string()).optional(),
      name: z.string().optional(),
      form: z.record(z.string(), z.unknown()).optional(),
    })
    .optional()
    .meta({ description: 'A question of the tool; not set if the call needs approval.' }),
  reason: z.string().optional(),
  time: z.number(),
}

/** Schema of a page of runs. */
export const runPageShape: z.ZodType = z
  .object({
    runs: z.array(summaryShape),
    next: z
      .string()
      .optional()
      .meta({ description: 'Send it as `before` to get the next page; not set on the last page.' }),
  })
  .meta({ id: 'RunPage' })

/** Schema of the open approvals and questions of a caller. */
export const approvalListShape: z.ZodType = z
  .object({
    approvals: z.array(
      z.object({
        runId: z.string().meta({ description: 'The root run, whose id is part of the path for the answer.' }),
        path: z.array(z.string()).meta({
          description: 'The agents from the root run to the one that is waiting: `Lead`, `Scout[5]`.',
        }),
        expiresAt: z.number().meta({ description: 'When it is denied automatically, in ms since 1970.' }),
        ...approvalFields,
      }),
    ),
    total: count.meta({ description: 'The number of open approvals, including those that are not listed.' }),
  })
  .meta({ id: 'ApprovalList' })

/** Schema of a run. */
export const viewShape: z.ZodType = z
  .object({
    ...summaryFields,
    output: outputShape.optional(),
    error: failureShape.optional(),
    usage: usageShape.optional(),
    problems: problemFields.problems.optional(),
    problemCount: problemFields.problemCount.optional(),
    forkOf: z.object({ runId: z.string(), at: z.string() }).optional(),
    retryOf: z.string().optional(),
    model: z.string().optional(),
    approvals: z.array(z.object(approvalFields)),
    lastSeq: count,
  })
  .meta({ id: 'Run' })

/** The models that a run may use in place of those of the cards. */
export interface ModelList {
  readonly models: readonly ModelChoice[]
}

/** The prompts of the agents in a run tree. */
export interface RunPrompts {
  readonly prompts: readonly RunPrompt[]
}

/** Schema of a model that a run may use in place of its agents' models. */
export const modelChoiceShape: z.ZodType = z
  .object({
    id: z.string(),
    means: z.array(z.string()).optional(),
  })
  .meta({ id: 'ModelChoice' })

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
}

/** Schema of a served agent. Further fields are described in the documentation. */
export const agentShape: z.ZodType = z
  .looseObject({
    name: z.string(),
    description: z.string().optional(),
    usage: z.string().optional(),
    version: z.string(),
    entry: z.boolean(),
    models: z.array(z.string()),
    children: z.array(z.string()),
    env: z.array(
      z.object({
        name: z.string(),
        neededFor: z.string(),
        isSet: z.boolean(),
        origin: z
          .string()
          .optional()
          .meta({ description: 'Where the value comes from. Only sent to the principal `local`.' }),
      }),
    ),
  })
  .meta({ id: 'Agent' })
