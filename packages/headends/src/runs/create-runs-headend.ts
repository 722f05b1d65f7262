import type { JsonObject, ModelChoice } from '@troupe/schema'
import type { RunDesk } from '../desk/run-desk.ts'
import type { EventFeeds } from '../feeds/event-feeds.ts'
import type { Handler } from '../handler.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { routes } from '../routes.ts'
import { postCommand } from '../shell-quote.ts'
import { told } from '../told.ts'
import { askedRun } from './asked-run.ts'
import { decideHandler } from './decide-handler.ts'
import { eventsHandler } from './events-handler.ts'
import { approvalsHandler, listHandler } from './list-handler.ts'
import { forkHandler, promptsHandler } from './prompt-handlers.ts'
import { runOperations } from './run-operations.ts'
import { startHandler } from './start-handler.ts'
import { toStarted } from './to-started.ts'

/** Dependencies of the run control headend. */
export interface RunsHeadendOptions {
  readonly desk: RunDesk
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
  const { desk, feeds, describeAgents, models } = options
  const parts = { ...context, ...options }
  return {
    name: 'runs',
    ...routes(
      {
        '/api/agents': {
          GET: ({ env }) => Response.json({ agents: describeAgents(env.caller.principal) }),
        },
        '/api/models': { GET: () => Response.json({ models: models() }) },
        '/api/runs': { GET: told(listHandler(desk)), POST: told(startHandler(parts)) },
        '/api/approvals': { GET: told(approvalsHandler(desk)) },
        '/api/runs/:id': { GET: told(viewHandler(desk)) },
        '/api/runs/:id/events': { GET: told(eventsHandler(parts)) },
        '/api/runs/:id/stop': { POST: told(stopHandler(desk)) },
        '/api/runs/:id/retry': { POST: told(retryHandler(desk)) },
        '/api/runs/:id/fork': { POST: told(forkHandler(options)) },
        '/api/runs/:id/prompts': { GET: told(promptsHandler(options)) },
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
    close: async () => feeds.close(),
  }
}

function viewHandler(desk: RunDesk): Handler {
  return async (call) => {
    const { runId, principal } = askedRun(call)
    return Response.json(await desk.view(runId, principal))
  }
}

function stopHandler(desk: RunDesk): Handler {
  return async (call) => {
    const { runId, principal } = askedRun(call)
    return Response.json(await desk.stop(runId, principal))
  }
}

function retryHandler(desk: RunDesk): Handler {
  return async (call) => {
    const { runId, principal } = askedRun(call)
    return toStarted(await desk.retry(runId, principal))
  }
}
