import {
  DECISION_CHANNELS,
  ERRORS,
  FAILURE_CLASSES,
  OUTCOMES,
  type Decider,
  type Json,
  type JsonObject,
  type Question,
  type RunOutput,
  type RunProblem,
  type ErrorCode,
  type Failure,
  type ModelChoice,
} from '@troupe/schema'
import { MAX_PROBLEM_MESSAGE, MAX_PROBLEMS } from '@troupe/schema/ports'
import { z } from 'zod'
import { RUN_STATES, type RunState, type RunPrompt } from '../run-service/run-view.ts'

/** Schema of a JSON value. Not recursive, because generators of clients fail on such a type. */
export const jsonShape: z.ZodType<Json> = (z.unknown() as z.ZodType<Json>).meta({
  id: 'Json',
  description: 'Any JSON value.',
})

/** Schema of a JSON object in a response. */
export const jsonObjectShape: z.ZodType<JsonObject> = z.record(z.string(), jsonShape)

/** Schema of an error code. */
export const errorCodeShape: z.ZodType<ErrorCode> = z
  .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
  .meta({ id: 'ErrorCode' })

/** Schema of a failure. */
export const failureShape: z.ZodType<Failure> = z
  .object({
    class: z.enum(FAILURE_CLASSES),
    code: errorCodeShape,
    message: z.string(),
    remediation: z.string(),
    retryAt: z
      .number()
      .exactOptional()
      .meta({ description: 'When another attempt may succeed, in ms since 1970.' }),
  })
  .meta({ id: 'Failure' })

/** Schema of an error of Troupe's own routes. */
export const errorShape: z.ZodType = z.object({ error: failureShape }).meta({ id: 'Error' })

const durationField = z.number().nonnegative().meta({
  description:
    'Wall time in ms from the first start of the run to its end, or to the last event of an interrupted run.',
})

const activeField = z.number().nonnegative().meta({
  description:
    'The part of `durationMs` in which the run was active, without the time it waited for a person and the time in which no process worked on it.',
})

/** Schema of a number that counts. */
export const count: z.ZodNumber = z.number().int().nonnegative()

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
export const outputShape: z.ZodType<RunOutput> = z
  .object({
    format: z.enum(['text', 'markdown', 'json']),
    text: z.string().exactOptional(),
    value: jsonShape.exactOptional(),
    files: z
      .array(
        z.object({
          mediaType: z.string(),
          data: z.string().exactOptional().meta({ description: 'Content in base64.' }),
          filename: z.string().exactOptional(),
          uri: z.string().exactOptional(),
        }),
      )
      .exactOptional(),
    citations: z
      .array(
        z.object({
          url: z.string(),
          title: z.string().exactOptional(),
          startIndex: count
            .exactOptional()
            .meta({ description: 'Start of the text that it supports, in characters.' }),
          endIndex: count.exactOptional().meta({ description: 'Exclusive end of that text.' }),
          citedText: z.string().exactOptional(),
        }),
      )
      .exactOptional(),
  })
  .meta({ id: 'Output' })

/** Schema of the problems of a run. */
export const problemListShape: z.ZodType<readonly RunProblem[]> = z
  .array(
    z
      .object({
        runId: z.string(),
        agent: z.string(),
        instance: z.string(),
        tool: z.string().exactOptional(),
        code: z.string(),
        message: z.string().max(MAX_PROBLEM_MESSAGE),
      })
      .meta({ id: 'RunProblem' }),
  )
  .max(MAX_PROBLEMS)
  .meta({
    description:
      'Tool calls and child runs that failed, were denied, timed out or gave a partial answer, and warnings that weaken the result.',
  })

const problemFields = {
  problems: problemListShape,
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
  label: z
    .object({ value: z.enum(['up', 'down']), note: z.string().optional() })
    .meta({ id: 'RunLabel', description: 'The judgement of a person.' })
    .optional(),
}

/** Schema of a run in a list. */
export const summaryShape: z.ZodType = z
  .object({ ...summaryFields, principal: z.string().optional() })
  .meta({ id: 'RunSummary' })

/** Schema of a question of a tool. */
export const questionShape: z.ZodType<Question> = z
  .object({
    question: z.string(),
    choices: z.array(z.string()).exactOptional(),
    name: z.string().exactOptional(),
    form: jsonObjectShape.exactOptional(),
  })
  .meta({ id: 'Question' })

/** Schema of the person who made a decision. */
export const deciderShape: z.ZodType<Decider> = z
  .object({
    via: z.enum(DECISION_CHANNELS),
    name: z.string().exactOptional().meta({
      description:
        'Principal, user of Slack, or the receiver of the link, who need not be the one who used it.',
    }),
  })
  .meta({ id: 'Decider', description: 'The person who decided, if known.' })

const approvalFields = {
  approvalId: z.string(),
  agent: z.string(),
  instance: z.string(),
  toolName: z.string(),
  args: jsonObjectShape,
  asks: questionShape
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

/** Schema of the file that a call would write. */
export const writeTargetShape: z.ZodType = z
  .discriminatedUnion('state', [
    z.object({
      state: z.literal('text'),
      text: z.string(),
      changedAt: z.number().meta({ description: 'Time of the last change, in ms since 1970.' }),
    }),
    z.object({ state: z.literal('missing') }),
    z.object({ state: z.literal('hidden'), reason: z.string() }),
  ])
  .meta({ id: 'WriteTarget' })

/** Schema of an open approval in the list of all runs. */
export const listedApprovalShape: z.ZodType = z
  .object({
    runId: z.string().meta({ description: 'The root run, whose id is part of the path for the answer.' }),
    path: z.array(z.string()).meta({
      description: 'The agents from the root run to the one that is waiting: `Lead`, `Scout[5]`.',
    }),
    expiresAt: z.number().meta({ description: 'When it is denied automatically, in ms since 1970.' }),
    input: z.string().meta({ description: 'Start of the message that the root run answers.' }),
    startedAt: z.number().meta({ description: 'Start of the root run, in ms since 1970.' }),
    cost: z.number().nullable().meta({
      description: 'Cost of the run tree so far, in USD; null if a price is unknown.',
    }),
    ...approvalFields,
  })
  .meta({ id: 'ListedApproval' })

/** Schema of the open approvals and questions of a caller. */
export const approvalListShape: z.ZodType = z
  .object({
    approvals: z.array(listedApprovalShape),
    total: count.meta({ description: 'The number of open approvals, including those that are not listed.' }),
  })
  .meta({ id: 'ApprovalList' })

/** Schema of a page of decisions. */
export const decisionPageShape: z.ZodType = z
  .object({
    decisions: z.array(
      z
        .object({
          runId: z.string(),
          path: z.array(z.string()),
          ...approvalFields,
          decision: z.enum(['approved', 'denied']),
          decidedAt: z.number().meta({ description: 'In ms since 1970.' }),
          by: deciderShape.optional(),
          comment: z.string().optional().meta({ description: 'The reason of the decision.' }),
          answer: z.string().optional().meta({ description: 'The answer to a question of the tool.' }),
          remember: z.enum(['session', 'always']).optional(),
        })
        .meta({ id: 'DecidedApproval' }),
    ),
    next: z
      .string()
      .optional()
      .meta({ description: 'Send it as `before` to get the next page; not set on the last page.' }),
  })
  .meta({ id: 'DecisionPage' })

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
    isTrial: z
      .literal(true)
      .optional()
      .meta({ description: 'Set if the run tried a card that was not saved.' }),
    model: z.string().optional(),
    approvals: z.array(z.object(approvalFields).meta({ id: 'OpenApproval' })),
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

/** Schema of the models that a run may use in place of its agents' models. */
export const modelListShape: z.ZodType<ModelList> = z
  .object({
    models: z.array(
      z
        .object({
          id: z.string(),
          means: z.array(z.string()).exactOptional(),
          contextWindow: count
            .exactOptional()
            .meta({ description: 'Tokens of a request and its answer together, if known.' }),
        })
        .meta({ id: 'ModelChoice' }),
    ),
  })
  .meta({ id: 'ModelList' })
