import {
  troupeError,
  type TroupeError,
  type Clock,
  type Decider,
  failure,
  type AgentDefinition,
  type AgentRunner,
  type Budget,
  type Failure,
  type ModelChoice,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import { DEFAULT_PRIORITY } from '@troupe/schema/ports'
import { formatRunHtml } from '@troupe/timeline/html'
import { z } from 'zod'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import { isOperator, type Caller, type Handler, type HandlerContext } from '../headend/headend.ts'
import { requireJson, readQuery, type QuerySchema, accepts } from '../request/read-json.ts'
import { ownerQuery, requestedOwner, runRefFor } from '../run-service/run-access.ts'
import type { RunRef } from '../run-service/stored-run.ts'
import type { RunService } from '../run-service/run-service.ts'
import { isEndState, RUN_STATES, type RunState } from '../run-service/run-view.ts'
import { eventStream } from '../sse/event-stream.ts'
import { resolveOutput } from '../client-runs/resolve-output.ts'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import type { StartedRun, StartRunRequest } from '../run-service/start-run.ts'
import { decisionBody, forkBody, labelBody, startRunBody, type StartRunBody } from './run-bodies.ts'

/** Handles `POST /api/runs/:id/approvals/:approvalId`. */
export function decideHandler(runService: Pick<RunService, 'decide' | 'ownerOf'>): Handler {
  return async (call) => {
    const body = await requireJson(call.req.raw, decisionBody)
    const { decision } = body
    const { runId, principal } = await runRefOf(call, runService)
    const approvalId = call.req.param('approvalId') ?? ''
    const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const by = deciderOf(call)
    await runService.decide({ runId, approvalId, decision: { ...fields, decision, by } }, principal)
    return Response.json({ runId, approvalId, decision })
  }
}

/** Handles `GET /api/runs/:id/approvals/:approvalId/target`. Viewers cannot decide, so they see no files. */
export function targetHandler(runService: Pick<RunService, 'writeTarget' | 'ownerOf'>): Handler {
  return async (call) => {
    if (call.env.caller.role === 'viewer') return Response.json({}, NO_STORE)
    const ref = await runRefOf(call, runService)
    const approvalId = call.req.param('approvalId') ?? ''
    const target = await runService.writeTarget({ ...ref, approvalId })
    return Response.json(target === undefined ? {} : { target }, NO_STORE)
  }
}

const NO_STORE = { headers: { 'cache-control': 'no-store' } }

/** Returns who decides. Browsers send the origin of the page with each POST request, other clients send none. */
function deciderOf({ req, env: { caller } }: HandlerContext): Decider {
  return { via: req.header('origin') === undefined ? 'api' : 'page', name: caller.principal }
}

/** Handles `POST /api/runs/:id/fork`. Only operators can change prompts. */
export function forkHandler(runService: Pick<RunService, 'fork' | 'ownerOf'>): Handler {
  return async (call) => {
    const { at, acceptChanges = false, prompts = {} } = await requireJson(call.req.raw, forkBody)
    const { runId, principal } = await runRefOf(call, runService)
    if (Object.keys(prompts).length > 0 && !isOperator(call.env.caller)) throw editForbidden()
    return startedResponse(await runService.fork({ runId, at, acceptChanges, prompts }, principal))
  }
}

/** Handles `PUT /api/runs/:id/label`. */
export function labelHandler(runService: Pick<RunService, 'label' | 'ownerOf'>): Handler {
  return async (call) => {
    const { value, note = '' } = await requireJson(call.req.raw, labelBody)
    const { runId, principal } = await runRefOf(call, runService)
    const label = note === '' ? { value } : { value, note }
    return Response.json(await runService.label(runId, principal, label))
  }
}

/** Handles `DELETE /api/runs/:id/label`. */
export function unlabelHandler(runService: Pick<RunService, 'label' | 'ownerOf'>): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    return Response.json(await runService.label(runId, principal, undefined))
  }
}

/** Handles `GET /api/runs/:id/prompts`. */
export function promptsHandler(runService: Pick<RunService, 'prompts' | 'ownerOf'>): Handler {
  return async (call) => {
    if (!isOperator(call.env.caller)) throw editForbidden()
    const { runId, principal } = await runRefOf(call, runService)
    return Response.json({ prompts: await runService.prompts(runId, principal) })
  }
}

function editForbidden(): TroupeError {
  return troupeError('card_read_only', 'Only an operator of the server can read and change prompts.')
}

/** Returns the run that the path names, with the principal of the caller. Operators act as the owner of the run. */
export async function runRefOf(
  { req, env: { caller } }: HandlerContext,
  runService: Pick<RunService, 'ownerOf'>,
): Promise<RunRef> {
  return runRefFor(req.param('id') ?? '', caller, runService)
}

const LIMIT = 'must be an integer from 1 to 500'
const STATE = `must be a comma-separated list of ${RUN_STATES.join(', ')}`

/** Filters and page of a list of runs. */
interface RunListQuery {
  readonly session?: string | undefined
  readonly conversations?: 'true' | undefined
  readonly agent?: string | undefined
  /** Comma-separated states. */
  readonly state?: string | undefined
  readonly q?: string | undefined
  readonly label?: 'up' | 'down' | undefined
  readonly before?: string | undefined
  readonly limit: number
  readonly principal?: string | undefined
}

const pageLimit = z.coerce.number({ error: LIMIT }).int(LIMIT).min(1, LIMIT).max(500, LIMIT).default(50)

/** Schema of the query of `GET /api/runs`. */
export const runListQuery: QuerySchema<RunListQuery> = z.strictObject({
  session: z.string().min(1).max(1000).optional().meta({ description: 'Runs of this conversation.' }),
  conversations: z
    .literal('true', 'must be `true`')
    .optional()
    .meta({ description: 'Only runs that belong to a conversation.' }),
  agent: z.string().min(1).max(200).optional().meta({ description: 'Runs of this agent.' }),
  state: z
    .string()
    .refine((text) => text.split(',').every(isState), STATE)
    .optional()
    .meta({ description: `States, separated by commas: ${RUN_STATES.join(', ')}.` }),
  q: z.string().min(1).max(200).optional().meta({
    description:
      'Text to find in the first 1,000 characters of the input, the agent or the run id, ignoring case.',
  }),
  label: z
    .enum(['up', 'down'], 'must be `up` or `down`')
    .optional()
    .meta({ description: 'Runs with this label.' }),
  before: z.string().min(1).max(200).optional().meta({ description: 'The `next` of the last page.' }),
  limit: pageLimit,
  principal: ownerQuery,
})

/** Handles `GET /api/runs`: returns a page of runs, by default the caller's, the newest first. */
export function listHandler(runService: Pick<RunService, 'list'>): Handler {
  return async ({ req, env }) => {
    const query = readQuery(req.url, runListQuery)
    const { session, conversations, agent, state, q, label, before, limit } = query
    const states = state?.split(',').filter(isState)
    const inConversation = conversations === undefined ? undefined : (true as const)
    const filter = { session, inConversation, agent, states, text: q, label }
    const principal = requestedOwner(query.principal, env.caller)
    return Response.json(await runService.list({ principal, filter, before, limit, signal: req.raw.signal }))
  }
}

/** State and page of a list of approvals. */
interface ApprovalsQuery {
  readonly principal?: string | undefined
  readonly state: 'open' | 'decided'
  readonly before?: string | undefined
  readonly limit: number
}

/** Schema of the query of `GET /api/approvals`. */
export const approvalsQuery: QuerySchema<ApprovalsQuery> = z.strictObject({
  principal: ownerQuery,
  state: z
    .enum(['open', 'decided'], 'must be `open` or `decided`')
    .default('open')
    .meta({ description: '`decided` lists the decisions, the newest first, in pages.' }),
  before: z.string().min(1).max(300).optional().meta({ description: 'The `next` of the last page.' }),
  limit: pageLimit,
})

/**
 * Handles `GET /api/approvals`: returns the approvals and questions that the caller may answer, or a page of the
 * decisions on them.
 */
export function approvalsHandler(runService: Pick<RunService, 'approvals' | 'decisions'>): Handler {
  return async ({ req, env }) => {
    const { state, before, limit, ...query } = readQuery(req.url, approvalsQuery)
    const principal = requestedOwner(query.principal, env.caller)
    if (state === 'open') return Response.json(await runService.approvals(principal))
    return Response.json(await runService.decisions({ principal, before, limit }))
  }
}

/** Schema of the query of `GET /api/agents/stats`. */
export const statsQuery: QuerySchema<{ readonly principal?: string | undefined }> = z.strictObject({
  principal: ownerQuery,
})

/** Handles `GET /api/agents/stats`: returns the figures of the agents in the caller's newest runs. */
export function statsHandler(runService: Pick<RunService, 'agentStats'>): Handler {
  return async ({ req, env }) => {
    const principal = requestedOwner(readQuery(req.url, statsQuery).principal, env.caller)
    return Response.json(await runService.agentStats({ principal, signal: req.raw.signal }))
  }
}

function isState(text: string): text is RunState {
  return RUN_STATES.some((state) => state === text)
}

const AFTER = { what: 'Last-Event-ID: not a number', fallback: 0 } as const
const PAGE_LIMIT = { what: 'limit: not a number', max: 10_000, fallback: 1000 } as const

/**
 * Handles `GET /api/runs/:id/events`: streams events to the end of the run, or returns a page of persisted
 * events if the client accepts JSON.
 */
export function eventsHandler({
  clock,
  runService,
  feeds,
}: {
  readonly clock: Clock
  readonly runService: Pick<RunService, 'readState' | 'ownerOf'>
  readonly feeds: EventFeeds
}): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    const { lastSeq, state } = await runService.readState(runId, principal)
    const { req, env } = call
    const after = readCount(req.header('last-event-id') ?? req.query('after'), AFTER)
    if (accepts(req.raw, ['text/event-stream', 'application/json']) === 'application/json') {
      const limit = readCount(req.query('limit'), PAGE_LIMIT)
      const events = await feeds.page(runId, { after, limit })
      return new Response(`{"events":[${events.join(',')}],"lastSeq":${lastSeq}}`, {
        headers: { 'content-type': 'application/json' },
      })
    }
    // The client has every event. 204 keeps browsers from reconnecting.
    if (isEndState(state) && after >= lastSeq) return new Response(undefined, { status: 204 })
    // A position beyond the end, for example of another run, would wait for events that never come.
    return eventStream(feeds.follow({ runId, after: Math.min(after, lastSeq) }, env.caller.principal), {
      clock,
      caller: env.caller,
      headers: { 'troupe-run-id': runId },
    })
  }
}

/** Most events of a run that is formatted as a page. Formatting more would block other requests. */
const MAX_EXPORTED = 20_000
/** Events that are read at once. */
const EXPORT_PAGE = 1000

/** Handles `GET /api/runs/:id/export`. Throws `request_invalid` if the run has too many events. */
export function exportHandler({
  runService,
  feeds,
}: {
  readonly runService: Pick<RunService, 'readState' | 'ownerOf'>
  readonly feeds: Pick<EventFeeds, 'page'>
}): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    const { lastSeq } = await runService.readState(runId, principal)
    if (lastSeq > MAX_EXPORTED) throw tooManyEvents()
    const events: RunEvent[] = []
    for (;;) {
      const page = await feeds.page(runId, { after: events.at(-1)?.seq ?? 0, limit: EXPORT_PAGE })
      events.push(...page.map((text) => JSON.parse(text) as RunEvent))
      if (page.length === 0 || (events.at(-1)?.seq ?? 0) >= lastSeq) break
    }
    return new Response(formatRunHtml(events), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': `attachment; filename="${runId.replaceAll(/[^\w-]/gu, '_')}.html"`,
        'cache-control': 'no-store',
      },
    })
  }
}

function tooManyEvents(): TroupeError {
  return troupeError('request_invalid', `The run has more than ${MAX_EXPORTED} events.`, {
    fix: 'Export it on the machine of the store: `troupe runs export RUN --html`.',
  })
}

/** Options for reading a number from a request. */
interface CountOptions {
  /** Error message for an invalid number, such as `limit: not a number`. */
  readonly what: string
  /** Upper limit. Larger numbers are lowered to it. */
  readonly max?: number
  readonly fallback: number
}

/**
 * Parses a non-negative whole number. Returns the fallback for an empty text. Throws `request_invalid` if it
 * is not a number.
 */
function readCount(text: string | undefined, options: CountOptions): number {
  const { what, max = Number.MAX_SAFE_INTEGER, fallback } = options
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,15}$/u.test(text)) throw troupeError('request_invalid', `${what}.`)
  return Math.min(Number(text), max)
}

/** Handles `POST /api/runs`. */
export function startHandler({
  runner,
  runService,
  models,
}: {
  readonly runner: AgentRunner
  readonly runService: Pick<RunService, 'start' | 'replacedMessage' | 'addBranch'>
  models(): readonly ModelChoice[]
}): Handler {
  return async ({ req, env }) => {
    const body = await requireJson(req.raw, startRunBody)
    const agent = servedAgent(runner, body.agent)
    if (isFailure(agent)) return errorResponse(agent)
    const problem = modelProblem(body.model, models())
    if (problem !== undefined) return errorResponse(problem)
    const run = toStartRunRequest(body, agent, env.caller)
    if (isFailure(run)) return errorResponse(run)
    if (body.replaces === undefined) return startedResponse(await runService.start(run))
    return startedResponse(await startBranch(run, body.replaces, runService))
  }
}

/** Starts a run whose message replaces that of another run, in a new conversation. */
async function startBranch(
  run: StartRunRequest,
  replaces: string,
  runService: Pick<RunService, 'start' | 'replacedMessage' | 'addBranch'>,
): Promise<StartedRun | RunReport> {
  const { agent, principal, options } = run
  const { request, branchFrom, branchOf } = await runService.replacedMessage(
    { runId: replaces, principal },
    options.sessionId,
  )
  if (request.agent.name !== agent)
    throw troupeError(
      'session_mismatch',
      `The run ${replaces} is one of ${request.agent.name}, not of ${agent}.`,
    )
  const { attachments = request.attachments } = options
  const started = await runService.start({
    ...run,
    options: {
      ...options,
      ...(branchFrom === undefined ? {} : { branchFrom }),
      ...(attachments === undefined ? {} : { attachments }),
    },
  })
  const sessionId = options.sessionId ?? started.runId
  // a run that was refused or is not stored starts no conversation
  if (!('outcome' in started)) await runService.addBranch({ sessionId, principal }, branchOf)
  return started
}

function toStartRunRequest(
  body: StartRunBody,
  agent: AgentDefinition,
  caller: Caller,
): StartRunRequest | Failure {
  const { q, input = q, session, attachments, model, budget, timeout, priority } = body
  if (input === undefined || (q !== undefined && body.input !== undefined))
    return failure('request_invalid', 'q, input: send exactly one of the two.')
  if (priority !== undefined && priority < DEFAULT_PRIORITY && !isOperator(caller))
    return failure(
      'request_invalid',
      `priority: only an operator of the server can use a number below ${DEFAULT_PRIORITY}.`,
    )
  const output = resolveOutput(body, agent)
  if (output !== undefined && isFailure(output)) return output
  const options = {
    sessionId: session,
    attachments,
    model,
    budget: budget as Budget | undefined,
    timeout,
    priority,
    output,
    traceContext: caller.traceContext,
  }
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return {
    agent: agent.name,
    input,
    principal: caller.principal,
    options: Object.fromEntries(entries) as StartRunRequest['options'],
  }
}

/**
 * Returns a failure if the model is not one of the choices. A server uses only models that were configured,
 * because its keys pay for them.
 */
export function modelProblem(
  model: string | undefined,
  choices: readonly ModelChoice[],
): Failure | undefined {
  if (model === undefined || choices.some(({ id }) => id === model)) return undefined
  const known = choices.map(({ id }) => id).join(', ')
  return failure('model_unknown', `model: "${model.slice(0, 100)}" is not one of ${known}.`)
}

/**
 * Responds with 202 for a run that continues on its own, or with the report of a run that has already ended.
 */
export function startedResponse(started: StartedRun | RunReport): Response {
  if ('outcome' in started) return reportEnvelope(started)
  const { runId } = started
  return Response.json(started, {
    status: 202,
    headers: { location: `/api/runs/${runId}`, 'troupe-run-id': runId },
  })
}
