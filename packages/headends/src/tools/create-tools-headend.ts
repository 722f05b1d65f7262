import type { ModelChoice } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { routes, withErrorResponse } from '../headend/routes.ts'
import type { RunService } from '../run-service/run-service.ts'
import {
  toolRefOf,
  addHandler,
  removeHandler,
  replaceHandler,
  previewHandler,
  trialHandler,
} from './tool-handlers.ts'
import { toolOperations } from './tool-operations.ts'
import type { ToolRepository } from './tool-repository.ts'

/** Dependencies of the tools headend. */
export interface ToolsHeadendOptions {
  readonly toolRepository: ToolRepository
  readonly runService: Pick<RunService, 'start'>
  /** Returns the models that a trial may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

/**
 * Creates the headend for editing and trying exported tools (`/api/agents/:agent/tools`) and for the card
 * template of an agent.
 */
export function createToolsHeadend(context: HeadendContext, options: ToolsHeadendOptions): Headend {
  const { toolRepository } = options
  const parts = { ...options, validate: createValidator() }
  const served = servedOnly(context.runner)
  return {
    name: 'tools',
    operations: toolOperations,
    ...routes(
      {
        '/api/agents/:agent/template': { GET: served(templateHandler(toolRepository)) },
        '/api/agents/:agent/tools': {
          GET: served(listHandler(toolRepository)),
          POST: served(addHandler(toolRepository)),
        },
        '/api/agents/:agent/tools/:tool': {
          PUT: served(replaceHandler(toolRepository)),
          DELETE: served(removeHandler(toolRepository)),
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
    const answer = withErrorResponse(handler)
    return (call) => {
      const agent = servedAgent(runner, toolRefOf(call).agent)
      return isFailure(agent) ? errorResponse(agent) : answer(call)
    }
  }
}

function templateHandler(toolRepository: ToolRepository): Handler {
  return async (call) => {
    const { agent, principal } = toolRefOf(call)
    return Response.json({ template: await toolRepository.template(agent, principal) })
  }
}

function listHandler(toolRepository: ToolRepository): Handler {
  return async (call) => {
    const { agent, principal } = toolRefOf(call)
    return Response.json(await toolRepository.read(agent, principal))
  }
}
