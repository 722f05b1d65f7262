import { z } from 'zod'
import { eventShape } from './event-shapes.ts'
import { count, failureShape, summaryShape } from './shapes.ts'

const runId = z.string()

/** Schema of a change in the stream of changes. */
export const changeShape: z.ZodType = z
  .union([
    z
      .object({ type: z.literal('reset') })
      .meta({ description: 'Changes may be missing: load everything again.' }),
    z.object({ type: z.literal('runs'), runs: z.array(summaryShape) }).meta({
      description: 'Changed entries of the list of runs, with the first 500 characters of their inputs.',
    }),
    z
      .object({ type: z.literal('approvals'), total: count })
      .meta({ description: 'The open approvals have changed.' }),
    z
      .object({ type: z.literal('sessions') })
      .meta({ description: 'The list of your conversations has changed.' }),
    z
      .object({ type: z.literal('reload'), list: z.string() })
      .meta({ description: 'Another list has changed: `agents` or `schedules`.' }),
    z
      .object({ type: z.literal('run'), event: eventShape })
      .meta({ description: 'An event of a followed run.' }),
    z
      .object({ type: z.literal('run-over'), runId })
      .meta({ description: 'A followed run had ended before, and you have all of its events.' }),
    z
      .object({ type: z.literal('run-refused'), runId, error: failureShape })
      .meta({ description: 'A run cannot be followed.' }),
  ])
  .meta({ id: 'Change' })
