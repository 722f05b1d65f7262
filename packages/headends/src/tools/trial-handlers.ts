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

/** What tools are tried with. */
export interface TrialParts {
  readonly shelf: Pick<ToolShelf, 'read'>
  readonly desk: Pick<RunDesk, 'start'>
  readonly validate: ValidateArguments
  /** The models that a trial may ask in place of those of its agents. */
  models(): readonly ModelChoice[]
}

/** `POST …/tools/:tool/preview`: the prompt of a call. Nothing is run. */
export function previewHandler({ shelf, validate }: TrialParts): Handler {
  return async (call) => {
    const tool = await readTool(askedTool(call), shelf)
    const { args } = await requireJson(call.req.raw, argumentsWish)
    return Response.json(filledPrompt(tool, args, { validate, mode: 'preview' }))
  }
}

/** `POST …/tools/:tool/test`: a run of the agent with the prompt of a call, as a client over MCP would have it. */
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
    // nobody is asked (D26)
    const options = { headless: true, note: { test: tool.name }, ...(model === undefined ? {} : { model }) }
    const started = await desk.start({ agent, input: prompt, principal, options })
    if (isReport(started)) return reportEnvelope(started)
    return Response.json({ ...started, prompt }, { status: 202 })
  }
}

function isReport(started: object): started is RunReport {
  return 'outcome' in started
}
