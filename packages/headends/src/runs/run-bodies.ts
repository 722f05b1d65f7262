import {
  parseDuration,
  type AnswerScope,
  type Attachment,
  type Budget,
  type JsonObject,
  type OutputContract,
} from '@troupe/schema'
import { prioritySchema } from '@troupe/schema/agent-keys'
import { MAX_LABEL_NOTE } from '@troupe/schema/ports'
import { z } from 'zod'
import { INPUT_TYPES } from '../client-runs/input-types.ts'
import { jsonObject } from '../request/read-json.ts'

/** Body of a request that starts a run. */
export interface StartRunBody {
  readonly agent?: string | undefined
  readonly q?: string | undefined
  readonly input?: string | JsonObject | undefined
  readonly format?: OutputContract['format'] | undefined
  readonly schema?: JsonObject | undefined
  readonly session?: string | undefined
  readonly attachments?: readonly AttachmentBody[] | undefined
  readonly replaces?: string | undefined
  readonly model?: string | undefined
  readonly budget?: { readonly [Cap in keyof Budget]: Budget[Cap] | undefined } | undefined
  readonly timeout?: number | undefined
  readonly priority?: number | undefined
}

/** A file that is sent to the model with the message. */
interface AttachmentBody extends Omit<Attachment, 'filename'> {
  readonly filename?: string | undefined
}

/** Maximum number of files of a message. */
const MAX_ATTACHMENTS = 20

const attachmentBody = z
  .strictObject({
    mediaType: z.enum(INPUT_TYPES as [string, ...string[]], `must be one of ${INPUT_TYPES.join(', ')}`),
    data: z.string().refine(isBase64, 'must be base64').meta({ description: 'Content in base64.' }),
    filename: z.string().min(1).max(255).optional(),
  })
  .meta({ id: 'AttachmentBody' })

/** Returns true for base64 with padding. Checks in one pass, because files are large. */
function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/u.test(text)
}

/** A number of ms, or a text with a unit. The output is in ms. */
export const duration: z.ZodType<number> = z
  .union([z.number(), z.string()])
  .meta({ description: 'A duration: a number of ms, or a text such as "150s" or "5m".' })
  .transform((value, context) => {
    const ms = parseDuration(value)
    if (ms !== undefined && ms > 0) return ms
    context.addIssue(`${JSON.stringify(value).slice(0, 100)} is not a duration such as "150s".`)
    return z.NEVER
  })

/** Schema of the body of `POST /api/runs`: either `q` or `input`. */
export const startRunBody: z.ZodType<StartRunBody> = z
  .strictObject({
    agent: z
      .string()
      .optional()
      .meta({ description: 'The name of a served agent. Default: the entry agent.' }),
    q: z.string().optional().meta({ description: 'The message.' }),
    input: z
      .union([z.string(), jsonObject])
      .optional()
      .meta({ description: 'Replaces `q`: the message, or the input object of the agent.' }),
    format: z.enum(['text', 'markdown', 'json']).optional(),
    schema: jsonObject.optional().meta({ description: 'A JSON Schema. The answer is JSON that matches it.' }),
    session: z.string().min(1).max(200).optional(),
    attachments: z.array(attachmentBody).max(MAX_ATTACHMENTS).optional().meta({
      description: 'Images, PDF and text files that are sent with the message.',
    }),
    replaces: z.string().min(1).max(200).optional().meta({
      description:
        'A run whose message this one replaces: the run starts a new conversation with the messages before it. Its files are sent too unless `attachments` is set.',
    }),
    model: z
      .string()
      .optional()
      .meta({ description: 'A model of `/api/models` that every agent of the run uses instead of its own.' }),
    budget: z
      .strictObject({
        maxTokens: z.number().positive().optional(),
        maxCost: z.number().positive().optional(),
      })
      .optional()
      .meta({ description: 'Limits in tokens and USD, in addition to those of the card.' }),
    timeout: duration.optional(),
    priority: prioritySchema.optional().meta({
      description:
        'Runs that wait start in the order of their priorities, lower first. Default: 100. Only the operator may use a lower number.',
    }),
  })
  .meta({ id: 'StartRunBody' })

/** Body of a request that forks a run. */
export interface ForkBody {
  readonly at: string
  readonly acceptChanges?: boolean | undefined
  readonly prompts?: Readonly<Record<string, string>> | undefined
}

/** Schema of the body of `POST /api/runs/:id/fork`. */
export const forkBody: z.ZodType<ForkBody> = z
  .strictObject({
    at: z
      .string()
      .min(1)
      .max(500)
      .meta({ description: 'A turn: `2` of the root run, `1.2/3` of the run that call 1.2 started.' }),
    acceptChanges: z.boolean().optional().meta({ description: 'Continue even if cards have changed since.' }),
    prompts: z.record(z.string(), z.string().max(500_000)).optional().meta({
      description: 'Prompts by agent that replace those of the cards. Requires permission to edit cards.',
    }),
  })
  .meta({ id: 'ForkBody' })

/** Body of a decision on a waiting call. */
export interface DecisionBody {
  readonly decision: 'approved' | 'denied'
  readonly reason?: string | undefined
  readonly answer?: string | undefined
  readonly values?: JsonObject | undefined
  readonly remember?: AnswerScope | undefined
}

/** Schema of the body of `POST /api/runs/:id/approvals/:approvalId`. */
export const decisionBody: z.ZodType<DecisionBody> = z
  .strictObject({
    decision: z.enum(['approved', 'denied']),
    reason: z.string().max(1000).optional(),
    answer: z.string().max(100_000).optional().meta({ description: 'The answer to a question of the tool.' }),
    values: jsonObject.optional().meta({ description: 'The answer to a form.' }),
    remember: z.enum(['session', 'always']).optional().meta({
      description: 'Approves later calls too: for the rest of the conversation, or always.',
    }),
  })
  .meta({ id: 'DecisionBody' })

/** Body of a label. */
export interface LabelBody {
  readonly value: 'up' | 'down'
  readonly note?: string | undefined
}

/** Schema of the body of `PUT /api/runs/:id/label`. */
export const labelBody: z.ZodType<LabelBody> = z
  .strictObject({
    value: z.enum(['up', 'down']),
    note: z.string().max(MAX_LABEL_NOTE).optional().meta({ description: 'The reason.' }),
  })
  .meta({ id: 'LabelBody' })
