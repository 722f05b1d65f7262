import {
  failure,
  type AgentDefinition,
  type AgentRunner,
  type Budget,
  type Failure,
  type ModelChoice,
  type RunReport,
} from '@troupe/schema'
import { resolveOutput } from '../client-runs/resolve-output.ts'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import type { Handler } from '../headend/headend.ts'
import { requireJson } from '../request/read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import type { StartedRun } from '../run-service/launch-run.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { StartRunRequest } from '../run-service/start-run.ts'
import { startRunBody, type StartRunBody } from './run-bodies.ts'

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
    const problem = modelProblem(body.model, models())
    if (problem !== undefined) return errorResponse(problem)
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
    return failure('request_invalid', 'q, input: send exactly one of the two.')
  const output = resolveOutput(body, agent)
  if (output !== undefined && isFailure(output)) return output
  const options = { sessionId: session, model, budget: budget as Budget | undefined, timeout, output }
  const entries = Object.entries(options).filter(([, value]) => value !== undefined)
  return {
    agent: agent.name,
    input,
    principal,
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
