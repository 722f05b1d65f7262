import type { Scheduler } from '@troupe/schedules'
import { troupeError } from '@troupe/schema'
import type { AgentSchedule } from '@troupe/schema/agent-keys'
import type { FiringState } from '@troupe/schema/ports'
import { z } from 'zod'
import {
  isOperator,
  type Handler,
  type HandlerContext,
  type Headend,
  type HeadendContext,
} from '../headend/headend.ts'
import { jsonAnswer, routes, withErrorResponse } from '../routes/routes.ts'

/** A schedule as served. Times are wall times in ms. */
export interface ServedSchedule {
  readonly name: string
  readonly agent: string
  readonly cron: string
  readonly timeZone: string
  readonly overlap: NonNullable<AgentSchedule['overlap']>
  readonly catchUp: NonNullable<AgentSchedule['catchUp']>
  readonly priority: number
  readonly isPaused: boolean
  readonly next?: number
  readonly last?: { readonly due: number; readonly runId: string; readonly state: FiringState }
}

/** Body of the response of `GET /api/schedules`. */
export interface ScheduleList {
  readonly schedules: readonly ServedSchedule[]
}

const time = z.number().int().meta({ description: 'Wall time in ms.' })
const scheduleShape = z
  .object({
    name: z.string(),
    agent: z.string(),
    cron: z.string(),
    timeZone: z.string(),
    overlap: z.enum(['skip', 'queue', 'allow']),
    catchUp: z.enum(['none', 'last', 'all']),
    priority: z.number().int(),
    isPaused: z.boolean(),
    next: time.optional(),
    last: z
      .object({
        due: time,
        runId: z.string(),
        state: z.enum(['waiting', 'claimed', 'started', 'skipped', 'failed']),
      })
      .optional(),
  })
  .meta({ id: 'Schedule' })
const scheduleListShape = z.object({ schedules: z.array(scheduleShape) }).meta({ id: 'ScheduleList' })
const firingShape = z
  .object({ schedule: z.string(), due: time, runId: z.string() })
  .meta({ id: 'ScheduleFiring' })
const stateShape = z.object({ name: z.string(), isPaused: z.boolean() }).meta({ id: 'ScheduleState' })

/** Creates the headend for schedules (`/api/schedules`), which also runs them. Only operators may use it. */
export function createSchedulesHeadend(context: HeadendContext, scheduler: Scheduler): Headend {
  return {
    name: 'schedules',
    ...routes(
      {
        '/api/schedules': {
          GET: {
            id: 'listSchedules',
            summary: 'List the schedules; empty for all but operators',
            answers: { 200: jsonAnswer('The schedules', scheduleListShape) },
            handler: withErrorResponse(async (call) => {
              const schedules = isOperator(call.env.caller) ? await scheduler.list() : []
              return Response.json({ schedules } satisfies ScheduleList)
            }),
          },
        },
        '/api/schedules/:name/run': {
          POST: {
            id: 'runSchedule',
            summary: 'Start a run of a schedule now',
            answers: { 202: jsonAnswer('The run has started', firingShape) },
            errors: [403, 404, 503],
            handler: forOperator(async (call) =>
              Response.json(await scheduler.fire(nameOf(call)), { status: 202 }),
            ),
          },
        },
        '/api/schedules/:name/pause': {
          POST: {
            id: 'pauseSchedule',
            summary: 'Pause a schedule on all servers of the store',
            answers: { 200: jsonAnswer('The state of the schedule', stateShape) },
            errors: [403, 404],
            handler: forOperator(setPaused(scheduler, true)),
          },
        },
        '/api/schedules/:name/resume': {
          POST: {
            id: 'resumeSchedule',
            summary: 'Resume a paused schedule; due times that have passed do not fire',
            answers: { 200: jsonAnswer('The state of the schedule', stateShape) },
            errors: [403, 404],
            handler: forOperator(setPaused(scheduler, false)),
          },
        },
      },
      { tag: 'Schedules', ...context },
    ),
    drain: () => scheduler.drain(),
    close: () => scheduler.close(),
  }
}

/** Rejects callers other than operators. Schedules run as `local`, so they may neither see nor change them. */
function forOperator(handler: Handler): Handler {
  return withErrorResponse((call) => {
    if (!isOperator(call.env.caller))
      throw troupeError('operator_required', 'Only an operator of the server can run and pause schedules.')
    return handler(call)
  })
}

function setPaused(scheduler: Scheduler, isPaused: boolean): Handler {
  return async (call) => {
    const name = nameOf(call)
    await scheduler.setPaused(name, isPaused)
    return Response.json({ name, isPaused })
  }
}

function nameOf({ req }: HandlerContext): string {
  return req.param('name') ?? ''
}
