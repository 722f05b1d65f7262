import type { EvalReports } from '@troupe/evals'
import { troupeError } from '@troupe/schema'
import { z } from 'zod'
import {
  isOperator,
  type Handler,
  type HandlerContext,
  type Headend,
  type HeadendContext,
} from '../headend/headend.ts'
import { checkShape } from '../request/read-json.ts'
import { eventShape } from '../routes/event-shapes.ts'
import { jsonAnswer, routes, withErrorResponse } from '../routes/routes.ts'
import { reportListShape, storedReportShape, type ReportList } from './eval-shapes.ts'

const reportQuery = z.strictObject({
  base: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The id of the report to compare with, in place of the base of the report.' }),
})

const eventsShape = z.object({ events: z.array(eventShape) }).meta({ id: 'EvalRunEvents' })

/** Creates the headend for the reports of evaluations (`/api/evals`). Only operators may read them. */
export function createEvalsHeadend(context: HeadendContext, reports: EvalReports): Headend {
  return {
    name: 'evals',
    ...routes(
      {
        '/api/evals': {
          GET: {
            id: 'listEvals',
            summary: 'List the reports of evaluations, newest first; empty for all but operators',
            answers: { 200: jsonAnswer('The reports', reportListShape) },
            handler: withErrorResponse(async ({ env }) => {
              const listed = isOperator(env.caller) ? await reports.list() : []
              return Response.json({ reports: listed } satisfies ReportList)
            }),
          },
        },
        '/api/evals/:id': {
          GET: {
            id: 'readEval',
            summary: 'Get a report, compared with its base or with another report; operators only',
            query: reportQuery,
            answers: { 200: jsonAnswer('The report', storedReportShape) },
            errors: [400, 403, 404],
            handler: forOperator(async (call) => {
              const query = checkShape(Object.fromEntries(new URL(call.req.url).searchParams), reportQuery)
              if (!query.ok) throw troupeError('request_invalid', query.reason.message)
              const report = await reports.read(idOf(call), query.value)
              if (report === undefined) throw reportUnknown(idOf(call))
              return Response.json(report)
            }),
          },
        },
        '/api/evals/:id/runs/:runId': {
          GET: {
            id: 'readEvalRun',
            summary: 'Get the events of a run of a report; operators only',
            answers: { 200: jsonAnswer('The events', eventsShape) },
            errors: [403, 404],
            handler: forOperator(async (call) => {
              const runId = call.req.param('runId') ?? ''
              const events = await reports.events(idOf(call), runId)
              if (events === undefined)
                throw troupeError('run_unknown', `The report ${idOf(call)} has no events of ${runId}.`)
              return Response.json({ events })
            }),
          },
        },
      },
      { tag: 'Evaluations', ...context },
    ),
  }
}

/** Rejects callers other than operators, because reports contain the answers of all cases. */
function forOperator(handler: Handler): Handler {
  return withErrorResponse((call) => {
    if (!isOperator(call.env.caller))
      throw troupeError('operator_required', 'Only an operator of the server can read reports.')
    return handler(call)
  })
}

function idOf({ req }: HandlerContext): string {
  return req.param('id') ?? ''
}

function reportUnknown(id: string): Error {
  return troupeError('report_unknown', `There is no report ${id}.`)
}
