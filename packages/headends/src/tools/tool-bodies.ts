import type { AgentTool, JsonObject } from '@troupe/schema'
import { z } from 'zod'
import { jsonObject } from '../request/read-json.ts'
import type { StartedRun } from '../run-service/launch-run.ts'

const tool = z.strictObject({
  name: z.string().trim().min(1).max(64).meta({ description: 'The name that clients use.' }),
  description: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .meta({ description: 'The description that models read.' }),
  parameters: jsonObject
    .refine((schema) => schema['type'] === 'object', { message: 'expected a JSON Schema of type object' })
    .meta({ description: 'A JSON Schema of type object.' }),
  prompt: z
    .string()
    .min(1)
    .max(50_000)
    .meta({ description: 'The prompt template, filled in with the arguments.' }),
})

/** Body of a request that writes a tool into a card. */
export interface ToolBody {
  readonly tool: AgentTool
  readonly version?: string | undefined
}

/** Schema of the body of `POST /api/agents/:agent/tools` and `PUT …/:tool`. */
export const toolBody: z.ZodType<ToolBody> = z
  .strictObject({
    tool: tool as unknown as z.ZodType<AgentTool>,
    version: z.string().optional().meta({ description: 'The version of the card that was read.' }),
  })
  .meta({ id: 'ToolBody' })

/** Body of a request for the preview of a call. */
export interface ArgumentsBody {
  readonly args: JsonObject
}

/** Schema of the body of `POST …/:tool/preview`. */
export const argumentsBody: z.ZodType<ArgumentsBody> = z
  .strictObject({ args: jsonObject })
  .meta({ id: 'ArgumentsBody' })

/** Body of a request that tries a tool. */
export interface TrialBody extends ArgumentsBody {
  readonly model?: string | undefined
}

/** Schema of the body of `POST …/:tool/test`. */
export const trialBody: z.ZodType<TrialBody> = z
  .strictObject({
    args: jsonObject,
    model: z.string().optional().meta({
      description: 'A model of `/api/models` that every agent of the run uses instead of its own.',
    }),
  })
  .meta({ id: 'TrialBody' })

/** A trial that was started. */
export interface StartedTrial extends StartedRun {
  readonly prompt: string
}
