import type { ModelChoice } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import type { RunDesk } from '../desk/run-desk.ts'
import { errorResponse } from '../error-response.ts'
import type { Handler } from '../handler.ts'
import type { Headend, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { routes } from '../routes.ts'
import { servedAgent } from '../served-agent.ts'
import { told } from '../told.ts'
import { askedTool } from './asked-tool.ts'
import { addHandler, removeHandler, replaceHandler } from './change-handlers.ts'
import { toolOperations } from './tool-operations.ts'
import type { ToolShelf } from './tool-shelf.ts'
import { previewHandler, trialHandler } from './trial-handlers.ts'

/** Dependencies of the tools headend. */
export interface ToolsHeadendOptions {
  readonly shelf: ToolShelf
  readonly desk: Pick<RunDesk, 'start'>
  /** Returns the models that a trial may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

/**
 * Creates the headend for editing and trying exported tools (`/api/agents/:agent/tools`) and for the card
 * template of an agent.
 */
export function createToolsHeadend(context: HeadendContext, options: ToolsHeadendOptions): Headend {
  const { shelf } = options
  const parts = { ...options, validate: createValidator() }
  const served = servedOnly(context.runner)
  return {
    name: 'tools',
    operations: toolOperations,
    ...routes(
      {
        '/api/agents/:agent/template': { GET: served(templateHandler(shelf)) },
        '/api/agents/:agent/tools': { GET: served(shelfHandler(shelf)), POST: served(addHandler(shelf)) },
        '/api/agents/:agent/tools/:tool': {
          PUT: served(replaceHandler(shelf)),
          DELETE: served(removeHandler(shelf)),
        },
        '/api/agents/:agent/tools/:tool/preview': { POST: served(previewHandler(parts)) },
        '/api/agents/:agent/tools/:tool/test': { POST: served(trialHandler(parts)) },
      },
      context,
    ),
  }
}

/** Returns a wrapper that rejects requests for agents that are not served. */
function servedOnly(runner: HeadendContext['runner']): (handler: Handler) => Handler {
  return (handler) => {
    const answer = told(handler)
    return (call) => {
      const agent = servedAgent(runner, askedTool(call).agent)
      return isFailure(agent) ? errorResponse(agent) : answer(call)
    }
  }
}

function templateHandler(shelf: ToolShelf): Handler {
  return async (call) => {
    const { agent, principal } = askedTool(call)
    return Response.json({ template: await shelf.template(agent, principal) })
  }
}

function shelfHandler(shelf: ToolShelf): Handler {
  return async (call) => {
    const { agent, principal } = askedTool(call)
    return Response.json(await shelf.read(agent, principal))
  }
}
