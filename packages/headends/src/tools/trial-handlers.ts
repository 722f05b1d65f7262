import { troupeError, type ModelChoice, type RunReport, type ValidateArguments } from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import { errorResponse } from '../error-response.ts'
import { requireJson } from '../read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import type { Handler } from '../handler.ts'
import { modelProblem } from '../runs/model-problem.ts'
import { toolRefOf } from './tool-ref.ts'
import { fillPrompt } from './fill-prompt.ts'
import { readTool } from './read-tool.ts'
import type { ToolRepository } from './tool-repository.ts'
import { argumentsBody, trialBody } from './tool-bodies.ts'

/** Dependencies of the preview and trial handlers. */
export interface TrialParts {
  readonly toolRepository: Pick<ToolRepository, 'read'>
  readonly runService: Pick<RunService, 'start'>
  readonly validate: ValidateArguments
  /** Returns the models that a trial may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

/** Handles `POST …/tools/:tool/preview`: returns the prompt of a call without running it. */
export function previewHandler({ toolRepository, validate }: TrialParts): Handler {
  return async (call) => {
    const tool = await readTool(toolRefOf(call), toolRepository)
    const { args } = await requireJson(call.req.raw, argumentsBody)
    return Response.json(fillPrompt(tool, args, { validate, mode: 'preview' }))
  }
}

/** Handles `POST …/tools/:tool/test`: runs the agent with the prompt of a call, as for an MCP client. */
export function trialHandler({ toolRepository, runService, models, validate }: TrialParts): Handler {
  return async (call) => {
    const ref = toolRefOf(call)
    const tool = await readTool(ref, toolRepository)
    const { args, model } = await requireJson(call.req.raw, trialBody)
    const refused = modelProblem(model, models())
    if (refused !== undefined) return errorResponse(refused)
    const { prompt, problems } = fillPrompt(tool, args, { validate, mode: 'run' })
    if (problems.length > 0)
      throw troupeError('request_invalid', `The arguments do not fit ${tool.name}: ${problems.join('; ')}`)
    const { agent, principal } = ref
    // A trial has no person who could approve or answer.
    const options = { headless: true, note: { test: tool.name }, ...(model === undefined ? {} : { model }) }
    const started = await runService.start({ agent, input: prompt, principal, options })
    if (isReport(started)) return reportEnvelope(started)
    return Response.json({ ...started, prompt }, { status: 202 })
  }
}

function isReport(started: object): started is RunReport {
  return 'outcome' in started
}
