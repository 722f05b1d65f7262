import type { JsonObject, ModelChoice } from '@troupe/schema'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { routes, withErrorResponse } from '../headend/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import type { RunService } from '../run-service/run-service.ts'
import { eventsHandler } from './events-handler.ts'
import { approvalsHandler, listHandler } from './list-handler.ts'
import { runRefOf, decideHandler, forkHandler, promptsHandler } from './run-handlers.ts'
import { runOperations } from './run-operations.ts'
import { startHandler, startedResponse } from './start-handler.ts'

/** Dependencies of the run control headend. */
export interface RunsHeadendOptions {
  readonly runService: RunService
  readonly feeds: EventFeeds
  /**
   * Describes the served agents, the entry agent first. Contains no values of variables, and files only for
   * the operator.
   */
  describeAgents(principal: string): readonly JsonObject[]
  /** Returns the models that a run may use in place of its agents' models. */
  models(): readonly ModelChoice[]
  /** Returns true if the principal may read prompts and change them in its forks. */
  mayEdit(principal: string): boolean
}

/**
 * Creates the headend for run control (`/api/agents`, `/api/runs`): runs that belong to no connection, for
 * the web page and other clients.
 */
export function createRunsHeadend(context: HeadendContext, options: RunsHeadendOptions): Headend {
  const { runService, feeds, describeAgents, models } = options
  const parts = { ...context, ...options }
  return {
    name: 'runs',
    ...routes(
      {
        '/api/agents': {
          GET: ({ env }) => Response.json({ agents: describeAgents(env.caller.principal) }),
        },
        '/api/models': { GET: () => Response.json({ models: models() }) },
        '/api/runs': {
          GET: withErrorResponse(listHandler(runService)),
          POST: withErrorResponse(startHandler(parts)),
        },
        '/api/approvals': { GET: withErrorResponse(approvalsHandler(runService)) },
        '/api/runs/:id': { GET: withErrorResponse(viewHandler(runService)) },
        '/api/runs/:id/events': { GET: withErrorResponse(eventsHandler(parts)) },
        '/api/runs/:id/stop': { POST: withErrorResponse(stopHandler(runService)) },
        '/api/runs/:id/retry': { POST: withErrorResponse(retryHandler(runService)) },
        '/api/runs/:id/fork': { POST: withErrorResponse(forkHandler(options)) },
        '/api/runs/:id/prompts': { GET: withErrorResponse(promptsHandler(options)) },
        '/api/runs/:id/approvals/:approvalId': { POST: withErrorResponse(decideHandler(runService)) },
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
    close: async () => feeds.close(),
  }
}

function viewHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = runRefOf(call)
    return Response.json(await runService.view(runId, principal))
  }
}

function stopHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = runRefOf(call)
    return Response.json(await runService.stop(runId, principal))
  }
}

function retryHandler(runService: RunService): Handler {
  return async (call) => {
    const { runId, principal } = runRefOf(call)
    return startedResponse(await runService.retry(runId, principal))
  }
}
