import { troupeError, type ModelChoice, type RunReport, type ValidateArguments } from '@troupe/schema'
import type { RunDesk } from '../desk/run-desk.ts'
import { errorResponse } from '../error-response.ts'
import { requireJson } from '../read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import type { Handler } from '../handler.ts'
import { modelProblem } from '../runs/model-problem.ts'
import { askedTool } from './asked-tool.ts'
import { filledPrompt } from './filled-prompt.ts'
import { readTool } from './read-tool.ts'
import type { ToolShelf } from './tool-shelf.ts'
import { argumentsWish, trialWish } from './tool-wish.ts'

/** Dependencies of the preview and trial handlers. */
export interface TrialParts {
  readonly shelf: Pick<ToolShelf, 'read'>
  readonly desk: Pick<RunDesk, 'start'>
  readonly validate: ValidateArguments
  /** Returns the models that a trial may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

/** Handles `POST …/tools/:tool/preview`: returns the prompt of a call without running it. */
export function previewHandler({ shelf, validate }: TrialParts): Handler {
  return async (call) => {
    const tool = await readTool(askedTool(call), shelf)
    const { args } = await requireJson(call.req.raw, argumentsWish)
    return Response.json(filledPrompt(tool, args, { validate, mode: 'preview' }))
  }
}

/** Handles `POST …/tools/:tool/test`: runs the agent with the prompt of a call, as for an MCP client. */
export function trialHandler({ shelf, desk, models, validate }: TrialParts): Handler {
  return async (call) => {
    const asked = askedTool(call)
    const tool = await readTool(asked, shelf)
    const { args, model } = await requireJson(call.req.raw, trialWish)
    const refused = modelProblem(model, models())
    if (refused !== undefined) return errorResponse(refused)
    const { prompt, problems } = filledPrompt(tool, args, { validate, mode: 'run' })
    if (problems.length > 0)
      throw troupeError('request_invalid', `The arguments do not fit ${tool.name}: ${problems.join('; ')}`)
    const { agent, principal } = asked
    // A trial has no person who could approve or answer.
    const options = { headless: true, note: { test: tool.name }, ...(model === undefined ? {} : { model }) }
    const started = await desk.start({ agent, input: prompt, principal, options })
    if (isReport(started)) return reportEnvelope(started)
    return Response.json({ ...started, prompt }, { status: 202 })
  }
}

function isReport(started: object): started is RunReport {
  return 'outcome' in started
}
