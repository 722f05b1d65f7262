import {
  failure,
  type AgentDefinition,
  type AgentRunner,
  type Budget,
  type Failure,
  type ModelChoice,
} from '@troupe/schema'
import type { RunDesk } from '../desk/run-desk.ts'
import type { DeskRun } from '../desk/start-run.ts'
import { errorResponse } from '../error-response.ts'
import { isFailure } from '../is-failure.ts'
import { wishedOutput } from '../output-wish.ts'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { servedAgent } from '../served-agent.ts'
import { modelProblem } from './model-problem.ts'
import { runWish, type RunWish } from './run-wish.ts'
import { toStarted } from './to-started.ts'

/** Handles `POST /api/runs`. */
export function startHandler({
  runner,
  desk,
  models,
}: {
  readonly runner: AgentRunner
  readonly desk: Pick<RunDesk, 'start'>
  models(): readonly ModelChoice[]
}): Handler {
  return async ({ req, env }) => {
    const wish = await requireJson(req.raw, runWish)
    const agent = servedAgent(runner, wish.agent)
    if (isFailure(agent)) return errorResponse(agent)
    const refused = modelProblem(wish.model, models())
    if (refused !== undefined) return errorResponse(refused)
    const run = toDeskRun(wish, agent, env.caller.principal)
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
