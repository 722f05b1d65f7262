import type { ModelChoice } from '@troupe/schema'
import { z } from 'zod'
import { changesHandler, changesQuery } from '../changes/changes-handler.ts'
import { createChangeWatch, type WatchedList } from '../changes/watch-changes.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import {
  type Caller,
  type Handler,
  type Headend,
  type HeadendContext,
  postCommand,
} from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { jsonAnswer, routes, startedAnswers, withErrorResponse } from '../routes/routes.ts'
import { agentListShape, type ServedAgent } from '../routes/agent-shapes.ts'
import { teamStatsShape } from '../routes/stats-shapes.ts'
import { changeShape } from '../routes/change-shapes.ts'
import { eventPageShape, eventShape } from '../routes/event-shapes.ts'
import {
  approvalListShape,
  decisionPageShape,
  modelListShape,
  runPageShape,
  viewShape,
  writeTargetShape,
  type RunPrompts,
} from '../routes/shapes.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { StartedRun } from '../run-service/start-run.ts'
import { contentHandler } from './content-handler.ts'
import {
  decideLinkBody,
  decideLinkHandler,
  linkBody,
  linkedApprovalShape,
  linkHandler,
  linkShape,
  openLinkBody,
  openLinkHandler,
} from './link-handlers.ts'
import { sessionRoutes } from './session-routes.ts'
import { decisionBody, forkBody, labelBody, startRunBody } from './run-bodies.ts'
import {
  eventsHandler,
  exportHandler,
  approvalsHandler,
  approvalsQuery,
  listHandler,
  runListQuery,
  runRefOf,
  decideHandler,
  forkHandler,
  labelHandler,
  unlabelHandler,
  promptsHandler,
  startHandler,
  statsHandler,
  statsQuery,
  startedResponse,
  targetHandler,
} from './run-handlers.ts'

/** Dependencies of the run control headend. */
export interface RunsHeadendOptions {
  readonly runService: RunService
  readonly feeds: EventFeeds
  /** Maximum size of a request body, for clients that send files. */
  readonly maxBodyBytes: number
  /**
   * Describes the served agents, the entry agent first. Contains no values of variables, and files only for
   * operators.
   */
  describeAgents(caller: Caller): readonly ServedAgent[]
  /** Lists of other headends whose changes `GET /api/changes` reports. */
  readonly lists: readonly WatchedList[]
  /** Returns the models that a run may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

const number = z.string().regex(/^\d+$/u)
/** Schema of a run that was started. */
export const startedRunShape: z.ZodType<StartedRun> = z
  .object({ runId: z.string(), state: z.enum(['running', 'queued']) })
  .meta({ id: 'StartedRun' })
const promptsShape: z.ZodType<RunPrompts> = z
  .object({ prompts: z.array(z.object({ agent: z.string(), prompt: z.string() })) })
  .meta({ id: 'RunPrompts' })
const decisionShape = z
  .object({
    runId: z.string(),
    approvalId: z.string(),
    decision: z.enum(['approved', 'denied']),
  })
  .meta({ id: 'ApprovalDecision' })

/**
 * Creates the headend for run control (`/api/agents`, `/api/runs`): runs that belong to no connection, for
 * the web page and other clients.
 */
export function createRunsHeadend(context: HeadendContext, options: RunsHeadendOptions): Headend {
  const { runService, feeds, describeAgents, models, maxBodyBytes } = options
  const parts = { ...context, ...options }
  const watch = createChangeWatch(parts)
  return {
    name: 'runs',
    ...routes(
      {
        '/api/agents': {
          GET: {
            id: 'listAgents',
            summary: 'List the served agents, the entry agent first',
            answers: { 200: jsonAnswer('The agents', agentListShape) },
            handler: ({ env }) => Response.json({ agents: describeAgents(env.caller), maxBodyBytes }),
          },
        },
        '/api/agents/stats': {
          GET: {
            id: 'readAgentStats',
            summary: 'Get times, costs and failures of the agents in the newest 500 runs',
            query: statsQuery,
            answers: { 200: jsonAnswer('The figures', teamStatsShape) },
            handler: withErrorResponse(statsHandler(runService)),
          },
        },
        '/api/models': {
          GET: {
            id: 'listModelChoices',
            summary: 'List the models that a run may use instead of those of its agents',
            answers: { 200: jsonAnswer('The models', modelListShape) },
            handler: () => Response.json({ models: models() }),
          },
        },
        '/api/runs': {
          GET: {
            id: 'listRuns',
            summary: 'List runs that match all filters, newest first',
            query: runListQuery,
            answers: { 200: jsonAnswer('A page of runs', runPageShape) },
            handler: withErrorResponse(listHandler(runService)),
          },
          POST: {
            id: 'startRun',
            summary: 'Start a run that does not depend on a connection',
            body: startRunBody,
            answers: startedAnswers(startedRunShape),
            errors: RUN_ERRORS,
            handler: withErrorResponse(startHandler(parts)),
          },
        },
        '/api/changes': {
          GET: {
            id: 'followChanges',
            summary:
              'Stream what changes in the lists of runs, approvals, agents and schedules; `Last-Event-ID` continues after that change',
            query: changesQuery,
            answers: {
              200: {
                description: 'A stream of changes without an end',
                content: { 'text/event-stream': changeShape },
              },
            },
            handler: withErrorResponse(changesHandler({ ...parts, watch })),
          },
        },
        ...sessionRoutes(runService),
        '/api/approvals': {
          GET: {
            id: 'listApprovals',
            summary: 'List the open approvals and questions, oldest first, or the decisions, newest first',
            query: approvalsQuery,
            answers: { 200: jsonAnswer('The approvals', z.union([approvalListShape, decisionPageShape])) },
            handler: withErrorResponse(approvalsHandler(runService)),
          },
        },
        '/api/runs/:id': {
          GET: {
            id: 'readRun',
            summary: 'Get a run',
            answers: { 200: jsonAnswer('The run', viewShape) },
            errors: [404, 409],
            handler: withErrorResponse(viewHandler(runService)),
          },
        },
        '/api/runs/:id/events': {
          GET: {
            id: 'followRun',
            summary: 'Stream the events of a run until it ends; `Last-Event-ID` continues after that event',
            query: z.object({ after: number.optional(), limit: number.optional() }),
            answers: {
              200: {
                description: 'A stream of events, or a page with `Accept: application/json`',
                content: {
                  'text/event-stream': eventShape,
                  'application/json': eventPageShape,
                },
              },
              204: { description: 'The run has ended, and the client has all of its events' },
            },
            errors: [404, 409],
            handler: withErrorResponse(eventsHandler(parts)),
          },
        },
        '/api/runs/:id/content/:seq/:part': {
          GET: {
            id: 'readContent',
            summary: 'Get a part of a tool result, such as an image or a page',
            answers: { 200: { description: 'The content, in its media type', content: { '*/*': 'text' } } },
            errors: [404, 409],
            handler: withErrorResponse(contentHandler(parts)),
          },
        },
        '/api/runs/:id/stop': {
          POST: {
            id: 'stopRun',
            summary: 'Stop a run permanently',
            answers: { 200: jsonAnswer('The run', viewShape) },
            errors: [404, 409],
            handler: withErrorResponse(stopHandler(runService)),
          },
        },
        '/api/runs/:id/retry': {
          POST: {
            id: 'retryRun',
            summary: 'Repeat a run as a new run',
            answers: startedAnswers(startedRunShape),
            errors: RUN_ERRORS,
            handler: withErrorResponse(retryHandler(runService)),
          },
        },
        '/api/runs/:id/fork': {
          POST: {
            id: 'forkRun',
            summary: 'Fork a run at a turn; earlier turns are copied at no cost',
            body: forkBody,
            answers: startedAnswers(startedRunShape),
            errors: RUN_ERRORS,
            handler: withErrorResponse(forkHandler(runService)),
          },
        },
        '/api/runs/:id/label': {
          PUT: {
            id: 'labelRun',
            summary: 'Label a run with thumbs up or down',
            body: labelBody,
            answers: { 200: jsonAnswer('The run', viewShape) },
            errors: [404, 409],
            handler: withErrorResponse(labelHandler(runService)),
          },
          DELETE: {
            id: 'unlabelRun',
            summary: 'Remove the label of a run',
            answers: { 200: jsonAnswer('The run', viewShape) },
            errors: [404, 409],
            handler: withErrorResponse(unlabelHandler(runService)),
          },
        },
        '/api/runs/:id/export': {
          GET: {
            id: 'exportRun',
            summary: 'Download a run as one HTML file that needs no server',
            answers: { 200: { description: 'The file', content: { 'text/html': z.string() } } },
            errors: [404, 409],
            handler: withErrorResponse(exportHandler(parts)),
          },
        },
        '/api/runs/:id/prompts': {
          GET: {
            id: 'readPrompts',
            summary: 'Get the prompts of a run; operators only',
            answers: { 200: jsonAnswer('The prompts', promptsShape) },
            errors: [404, 409],
            handler: withErrorResponse(promptsHandler(runService)),
          },
        },
        '/api/runs/:id/approvals/:approvalId': {
          POST: {
            id: 'decide',
            summary: 'Decide on a call that is waiting for approval',
            body: decisionBody,
            answers: { 200: jsonAnswer('The decision', decisionShape) },
            errors: [404, 409],
            handler: withErrorResponse(decideHandler(runService)),
          },
        },
        '/api/runs/:id/approvals/:approvalId/target': {
          GET: {
            id: 'readWriteTarget',
            summary: 'Get the current content of the file that a waiting call would write',
            answers: {
              200: jsonAnswer(
                'The file; nothing for calls that write none',
                z.object({ target: writeTargetShape.optional() }),
              ),
            },
            errors: [404, 409],
            handler: withErrorResponse(targetHandler(runService)),
          },
        },
        '/api/runs/:id/approvals/:approvalId/link': {
          POST: {
            id: 'createLink',
            summary: 'Create a link that lets another person decide once on a call; operators only',
            body: linkBody,
            answers: { 200: jsonAnswer('The link', linkShape) },
            errors: [404, 409],
            handler: withErrorResponse(linkHandler(runService, context.publicUrl)),
          },
        },
        '/api/links/open': {
          POST: {
            id: 'openLink',
            summary: 'Get the call that a link decides',
            body: openLinkBody,
            answers: { 200: jsonAnswer('The call', linkedApprovalShape) },
            errors: [404],
            handler: withErrorResponse(openLinkHandler(runService)),
          },
        },
        '/api/links/decide': {
          POST: {
            id: 'decideByLink',
            summary: 'Decide with a link, which can be used once',
            body: decideLinkBody,
            answers: {
              200: jsonAnswer('The decision', z.object({ decision: z.enum(['approved', 'denied']) })),
            },
            errors: [404, 409],
            handler: withErrorResponse(decideLinkHandler(runService)),
          },
        },
      },
      { tag: 'Run control', ...context },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/api/runs`
      return [
        { title: 'Run control', url, command: postCommand(url, { agent, q: message }, { credentials }) },
      ]
    },
    async close() {
      watch.close()
      feeds.close()
    },
  }
}

function viewHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    return Response.json(await runService.view(runId, principal))
  }
}

function stopHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    return Response.json(await runService.stop(runId, principal))
  }
}

function retryHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = await runRefOf(call, runService)
    return startedResponse(await runService.retry(runId, principal))
  }
}
