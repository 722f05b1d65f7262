import {
  failure,
  toFailure,
  type AgentDefinition,
  type Budget,
  type Failure,
  type JsonObject,
  type ModelChoice,
  type RunReport,
} from '@troupe/schema'
import { accepts } from '../accepts.ts'
import { errorResponse } from '../error-response.ts'
import { eventStream } from '../event-stream.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { wishedOutput } from '../output-wish.ts'
import { readJson } from '../read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import { routes, type CallContext, type Handler } from '../routes.ts'
import { postCommand } from '../shell-quote.ts'
import { servedAgent } from '../served-agent.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { StartedRun } from '../desk/await-begin.ts'
import type { RunDesk } from '../desk/run-desk.ts'
import type { DeskRun } from '../desk/start-run.ts'
import { modelProblem } from './model-problem.ts'
import { decisionWish, forkWish, runWish, type RunWish } from './run-wish.ts'
import { runOperations } from './run-operations.ts'

/** What run control is made with, beside what every headend is. */
export interface RunsHeadendOptions {
  readonly desk: RunDesk
  readonly feeds: EventFeeds
  /** The agents as people want to know them, the entry first: what each is, calls, needs and may do. No values of variables. */
  describeAgents(): readonly JsonObject[]
  /** The models that a run may ask in place of those of its agents. */
  models(): readonly ModelChoice[]
  /** Whether prompts are shown to this principal, and may be others in its forks. */
  mayEdit(principal: string): boolean
}

const MOST_RUNS = 500
const MOST_EVENTS = 1000

/** Run control (`/api/agents`, `/api/runs`): runs that belong to no connection, for the web page and others. */
export function createRunsHeadend(
  context: HeadendContext,
  { desk, feeds, describeAgents, models, mayEdit }: RunsHeadendOptions,
): Headend {
  const start = startHandler(context, { desk, models })
  const change =
    (work: (runId: string, principal: string) => Promise<unknown>): Handler =>
    async (call) => {
      const [runId, principal] = runOf(call)
      await work(runId, principal)
      return Response.json(await desk.view(runId, principal))
    }
  return {
    name: 'runs',
    ...routes(
      {
        '/api/agents': { GET: () => Response.json({ agents: describeAgents() }) },
        '/api/models': { GET: () => Response.json({ models: models() }) },
        '/api/runs': { GET: told(listHandler(desk)), POST: told(start) },
        '/api/runs/:id': { GET: told(change(async () => undefined)) },
        '/api/runs/:id/events': { GET: told(eventsHandler(context, { desk, feeds })) },
        '/api/runs/:id/stop': { POST: told(change((runId, principal) => desk.stop(runId, principal))) },
        '/api/runs/:id/retry': { POST: told(async (call) => toStarted(await desk.retry(...runOf(call)))) },
        '/api/runs/:id/fork': { POST: told(forkHandler(desk, mayEdit)) },
        '/api/runs/:id/prompts': { GET: told(promptsHandler(desk, mayEdit)) },
        '/api/runs/:id/approvals/:approvalId': { POST: told(decideHandler(desk)) },
      },
      context,
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/api/runs`
      return [
        { title: 'Run control', url, command: postCommand(url, { agent, q: message }, { credentials }) },
      ]
    },
    operations: runOperations,
    drain: feeds.close,
    close: () => desk.close(),
  }
}

/** What a desk refuses is an answer, not an accident. */
function told(handler: Handler): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      return errorResponse(toFailure(thrown))
    }
  }
}

function runOf(call: CallContext): [runId: string, principal: string] {
  return [call.req.param('id') ?? '', call.env.caller.principal]
}

function listHandler(desk: RunDesk): Handler {
  return async ({ req, env }) => {
    const limit = readCount(req.query('limit'), { most: MOST_RUNS, fallback: 50 })
    if (limit === undefined)
      return errorResponse(failure('request_invalid', 'limit: this is no number of runs.'))
    return Response.json({ runs: await desk.list(env.caller.principal, limit) })
  }
}

function startHandler(
  { runner }: HeadendContext,
  { desk, models }: Pick<RunsHeadendOptions, 'desk' | 'models'>,
): Handler {
  return async ({ req, env }) => {
    const read = await readJson(req.raw, runWish)
    if (!read.ok) return errorResponse(read.reason)
    const agent = servedAgent(runner, read.value.agent)
    if (isFailure(agent)) return errorResponse(agent)
    const refused = modelProblem(read.value.model, models())
    if (refused !== undefined) return errorResponse(refused)
    const run = toDeskRun(read.value, agent, env.caller.principal)
    return isFailure(run) ? errorResponse(run) : toStarted(await desk.start(run))
  }
}

function toDeskRun(wish: RunWish, agent: AgentDefinition, principal: string): DeskRun | Failure {
  const { q, input = q, session, model, budget, timeout } = wish
  if (input === undefined || (q !== undefined && wish.input !== undefined))
    return failure('request_invalid', 'q, input: one of them says what to do.')
  const output = wishedOutput(wish, agent)
  if (output !== undefined && isFailure(output)) return output
  const options = { sessionId: session, model, budget: budget as Budget | undefined, timeout, output }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { agent: agent.name, input, principal, options: Object.fromEntries(given) as DeskRun['options'] }
}

/** 202: it goes on by itself. A run that has ended before it began gives its report. */
function toStarted(started: StartedRun | RunReport): Response {
  if ('outcome' in started) return reportEnvelope(started)
  const { runId } = started
  return Response.json(started, {
    status: 202,
    headers: { location: `/api/runs/${runId}`, 'troupe-run-id': runId },
  })
}

function forkHandler(desk: RunDesk, mayEdit: RunsHeadendOptions['mayEdit']): Handler {
  return async (call) => {
    const read = await readJson(call.req.raw, forkWish)
    if (!read.ok) return errorResponse(read.reason)
    const { at, acceptChanges = false, prompts = {} } = read.value
    const [runId, principal] = runOf(call)
    if (Object.keys(prompts).length > 0 && !mayEdit(principal)) return errorResponse(notTheirs())
    return toStarted(await desk.fork({ runId, at, acceptChanges, prompts }, principal))
  }
}

function promptsHandler(desk: RunDesk, mayEdit: RunsHeadendOptions['mayEdit']): Handler {
  return async (call) => {
    const [runId, principal] = runOf(call)
    if (!mayEdit(principal)) return errorResponse(notTheirs())
    return Response.json({ prompts: await desk.prompts(runId, principal) })
  }
}

function notTheirs(): Failure {
  return failure('card_read_only', 'Prompts are read and changed by who runs the server.')
}

function decideHandler(desk: RunDesk): Handler {
  return async (call) => {
    const read = await readJson(call.req.raw, decisionWish)
    if (!read.ok) return errorResponse(read.reason)
    const { decision } = read.value
    const [runId, principal] = runOf(call)
    const approvalId = call.req.param('approvalId') ?? ''
    const given = Object.fromEntries(Object.entries(read.value).filter(([, value]) => value !== undefined))
    await desk.decide({ runId, approvalId, decision: { ...given, decision } }, principal)
    return Response.json({ runId, approvalId, decision })
  }
}

/** A stream to the end of the run, or a page of kept events for who wants JSON. */
function eventsHandler(
  { clock }: HeadendContext,
  { desk, feeds }: { readonly desk: RunDesk; readonly feeds: EventFeeds },
): Handler {
  return async (call) => {
    const [runId, principal] = runOf(call)
    const { lastSeq, state } = await desk.look(runId, principal)
    const { req, env } = call
    const after = readCount(req.header('last-event-id') ?? req.query('after'), { fallback: 0 })
    if (after === undefined)
      return errorResponse(failure('request_invalid', 'Last-Event-ID: this is no number.'))
    if (accepts(req.raw, ['text/event-stream', 'application/json']) === 'application/json') {
      const limit = readCount(req.query('limit'), { most: MOST_EVENTS, fallback: MOST_EVENTS })
      if (limit === undefined)
        return errorResponse(failure('request_invalid', 'limit: this is no number of events.'))
      return Response.json({ events: await feeds.page(runId, { after, limit }), lastSeq })
    }
    // 204 tells a browser not to connect again: it has everything
    if (isEnd(state) && after >= lastSeq) return new Response(undefined, { status: 204 })
    return eventStream(feeds.follow({ runId, after }), {
      clock,
      caller: env.caller,
      headers: { 'troupe-run-id': runId },
    })
  }
}

function isEnd(state: string): boolean {
  return !['queued', 'running', 'waiting', 'interrupted'].includes(state)
}

/** A whole number from 0; undefined: it is none. */
function readCount(
  text: string | undefined,
  { most = Number.MAX_SAFE_INTEGER, fallback }: { readonly most?: number; readonly fallback: number },
): number | undefined {
  if (text === undefined || text === '') return fallback
  return /^\d{1,15}$/u.test(text) ? Math.min(Number(text), most) : undefined
}
