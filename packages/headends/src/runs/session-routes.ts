import { MAX_SESSION_NAME } from '@troupe/schema/ports'
import { z } from 'zod'
import type { Handler, HandlerContext } from '../headend/headend.ts'
import { readQuery, requireJson, type QuerySchema } from '../request/read-json.ts'
import { jsonAnswer, withErrorResponse, type Routes } from '../routes/routes.ts'
import type { SessionView } from '../run-service/change-sessions.ts'
import type { SessionPage } from '../run-service/list-sessions.ts'
import type { RunService } from '../run-service/run-service.ts'
import { RUN_STATES, type RunState } from '../run-service/run-view.ts'

type SessionService = Pick<RunService, 'listSessions' | 'viewSession' | 'changeSession' | 'deleteSession'>

const LIMIT = 'must be an integer from 1 to 200'

/** Filters and position of a list of sessions. */
interface SessionListQuery {
  readonly agent?: string | undefined
  readonly q?: string | undefined
  readonly archived?: 'true' | undefined
  readonly before?: string | undefined
  readonly limit: number
}

const sessionListQuery: QuerySchema<SessionListQuery> = z.strictObject({
  agent: z.string().min(1).max(200).optional().meta({ description: 'Conversations with this agent.' }),
  q: z.string().min(1).max(200).optional().meta({
    description: 'Text to find in names and in the first 1,000 characters of messages, ignoring case.',
  }),
  archived: z
    .literal('true', 'must be `true`')
    .optional()
    .meta({ description: 'The archived conversations instead of the others.' }),
  before: z.string().min(1).max(200).optional().meta({ description: 'The `next` of the last page.' }),
  limit: z.coerce.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(200, LIMIT).default(50),
})

/** Body of a change of a session. */
interface SessionBody {
  readonly name?: string | undefined
  readonly archived?: boolean | undefined
}

const sessionBody: z.ZodType<SessionBody> = z
  .strictObject({
    name: z
      .string()
      .max(MAX_SESSION_NAME)
      .optional()
      .meta({ description: 'The new name. An empty text removes it.' }),
    archived: z.boolean().optional(),
  })
  .refine(
    ({ name, archived }) => name !== undefined || archived !== undefined,
    'Send `name`, `archived` or both.',
  )
  .meta({ id: 'SessionBody' })

const pageShape: z.ZodType<SessionPage> = z
  .object({
    sessions: z.array(
      z
        .object({
          sessionId: z
            .string()
            .meta({ description: 'The conversation, or the one of its branches with the newest run.' }),
          agent: z.string(),
          name: z.string().exactOptional(),
          title: z.string().meta({ description: 'The start of the first message.' }),
          archived: z.boolean(),
          changedAt: z.number().meta({ description: 'Start of the newest run, in ms since 1970.' }),
          state: z.enum(RUN_STATES as [RunState, ...RunState[]]),
        })
        .meta({ id: 'SessionSummary' }),
    ),
    next: z
      .string()
      .exactOptional()
      .meta({ description: 'Send it as `before` to get the next page; not set on the last page.' }),
  })
  .meta({ id: 'SessionPage' })

const viewShape: z.ZodType<SessionView> = z
  .object({
    sessionId: z.string(),
    name: z.string().exactOptional(),
    archived: z.boolean(),
    branches: z.array(
      z
        .object({ sessionId: z.string(), branchOf: z.object({ sessionId: z.string(), runId: z.string() }) })
        .meta({ id: 'SessionBranch', description: 'A session whose first message replaces that of a run.' }),
    ),
  })
  .meta({ id: 'Session' })

const deletedShape = z.object({ sessionId: z.string() }).meta({ id: 'DeletedSession' })

/** Creates the routes for the sessions of the caller. */
export function sessionRoutes(runService: SessionService): Routes {
  return {
    '/api/sessions': {
      GET: {
        id: 'listSessions',
        summary: 'List your conversations, the one with the newest run first',
        query: sessionListQuery,
        answers: { 200: jsonAnswer('A page of conversations', pageShape) },
        handler: withErrorResponse(listSessionsHandler(runService)),
      },
    },
    '/api/sessions/:id': {
      GET: {
        id: 'readSession',
        summary: 'Get a conversation with its branches',
        answers: { 200: jsonAnswer('The conversation', viewShape) },
        errors: [404],
        handler: withErrorResponse(async (call) =>
          Response.json(await runService.viewSession(sessionOf(call))),
        ),
      },
      PATCH: {
        id: 'changeSession',
        summary: 'Rename, archive or restore a conversation',
        body: sessionBody,
        answers: { 200: jsonAnswer('The conversation', viewShape) },
        errors: [404],
        handler: withErrorResponse(async (call) => {
          const { name, archived } = await requireJson(call.req.raw, sessionBody)
          const change = {
            ...(name === undefined ? {} : { name: name.trim() }),
            ...(archived === undefined ? {} : { archived }),
          }
          return Response.json(await runService.changeSession(sessionOf(call), change))
        }),
      },
      DELETE: {
        id: 'deleteSession',
        summary: 'Delete a conversation with its branches and all of their runs',
        answers: { 200: jsonAnswer('The deleted conversation', deletedShape) },
        errors: [404, 409],
        handler: withErrorResponse(async (call) => {
          const session = sessionOf(call)
          await runService.deleteSession(session)
          return Response.json({ sessionId: session.sessionId })
        }),
      },
    },
  }
}

function sessionOf({ req, env }: HandlerContext): {
  readonly sessionId: string
  readonly principal: string
} {
  return { sessionId: req.param('id') ?? '', principal: env.caller.principal }
}

function listSessionsHandler(runService: Pick<RunService, 'listSessions'>): Handler {
  return async ({ req, env }) => {
    const { agent, q, archived, before, limit } = readQuery(req.url, sessionListQuery)
    return Response.json(
      await runService.listSessions({
        principal: env.caller.principal,
        agent,
        text: q,
        archived: archived !== undefined,
        before,
        limit,
        signal: req.raw.signal,
      }),
    )
  }
}
