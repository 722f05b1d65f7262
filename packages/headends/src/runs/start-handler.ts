import {
  failure,
  type AgentDefinition,
  type AgentRunner,
  type Budget,
  type Failure,
  type ModelChoice,
} from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import type { StartRunRequest } from '../run-service/start-run.ts'
import { errorResponse } from '../error-response.ts'
import { isFailure } from '../is-failure.ts'
import { resolveOutput } from '../resolve-output.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { servedAgent } from '../served-agent.ts'
import { modelProblem } from './model-problem.ts'
import { startRunBody, type StartRunBody } from './run-bodies.ts'
import { startedResponse } from './started-response.ts'

/** Handles `POST /api/runs`. */
export function startHandler({
  runner,
  runService,
  models,
}: {
  readonly runner: AgentRunner
  readonly runService: Pick<RunService, 'start'>
  models(): readonly ModelChoice[]
}): Handler {
  return async ({ req, env }) => {
    const body = await requireJson(req.raw, startRunBody)
    const agent = servedAgent(runner, body.agent)
    if (isFailure(agent)) return errorResponse(agent)
    const refused = modelProblem(body.model, models())
    if (refused !== undefined) return errorResponse(refused)
    const run = toStartRunRequest(body, agent, env.caller.principal)
    return isFailure(run) ? errorResponse(run) : startedResponse(await runService.start(run))
  }
}

function toStartRunRequest(
  body: StartRunBody,
  agent: AgentDefinition,
  principal: string,
): StartRunRequest | Failure {
  const { q, input = q, session, model, budget, timeout } = body
  if (input === undefined || (q !== undefined && body.input !== undefined))
    return failure('request_invalid', 'q, input: one of them says what to do.')
  const output = resolveOutput(body, agent)
  if (output !== undefined && isFailure(output)) return output
  const options = { sessionId: session, model, budget: budget as Budget | undefined, timeout, output }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return {
    agent: agent.name,
    input,
    principal,
    options: Object.fromEntries(given) as StartRunRequest['options'],
  }
}
