import { failure, type Failure, type ModelChoice } from '@troupe/schema'
import { createValidator } from '@troupe/tools'
import { z } from 'zod'
import type { CardRepository } from '../cards/card-repository.ts'
import { cardRoutes } from '../cards/card-routes.ts'
import { servedAgent } from '../client-runs/run-for-caller.ts'
import { errorResponse, isFailure } from '../headend/errors.ts'
import { isOperator, type Handler, type Headend, type HeadendContext } from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { jsonAnswer, routes, startedAnswers, withErrorResponse } from '../routes/routes.ts'
import { jsonObjectShape } from '../routes/shapes.ts'
import type { RunService } from '../run-service/run-service.ts'
import {
  toolRefOf,
  addHandler,
  removeHandler,
  replaceHandler,
  previewHandler,
  trialHandler,
  argumentsBody,
  toolBody,
  trialBody,
  type StartedTrial,
  type ToolPrompt,
} from './tool-handlers.ts'
import type { ToolRepository } from './tool-repository.ts'

/** Dependencies of the tools headend. */
export interface ToolsHeadendOptions {
  readonly toolRepository: ToolRepository
  readonly cards: CardRepository
  readonly runService: Pick<RunService, 'start' | 'retry' | 'view' | 'ownerOf'>
  /** Returns the models that a trial may use in place of its agents' models. */
  models(): readonly ModelChoice[]
}

const toolShape = z
  .object({
    name: z.string(),
    description: z.string(),
    parameters: jsonObjectShape,
    prompt: z.string(),
  })
  .meta({ id: 'ExportedTool' })
const toolListShape = z
  .object({
    agent: z.string(),
    file: z.string().meta({ description: 'The file of the card.' }),
    readOnly: z
      .string()
      .optional()
      .meta({ description: 'Why the card cannot be edited; not set if it can.' }),
    version: z.string().optional().meta({ description: 'The version of the text of the card.' }),
    tools: z.array(toolShape),
  })
  .meta({ id: 'ToolList' })
const promptShape: z.ZodType<ToolPrompt> = z
  .object({ prompt: z.string(), problems: z.array(z.string()) })
  .meta({ id: 'ToolPrompt' })
const startedShape: z.ZodType<StartedTrial> = z
  .object({ runId: z.string(), state: z.enum(['running', 'queued']), prompt: z.string() })
  .meta({ id: 'StartedTrial' })

const TOOLS = jsonAnswer('The current tools', toolListShape)

/**
 * Creates the headend for editing and trying exported tools (`/api/agents/:agent/tools`) and cards
 * (`/api/agents/:agent/card`), and for the card template of an agent.
 */
export function createToolsHeadend(context: HeadendContext, options: ToolsHeadendOptions): Headend {
  const { toolRepository, cards, runService } = options
  const parts = { ...options, validate: createValidator() }
  const served = servedForOperators(context.runner)
  return {
    name: 'tools',
    ...routes(
      {
        ...cardRoutes({ cards, runService, served }),
        '/api/agents/:agent/template': {
          GET: {
            id: 'readTemplate',
            summary: 'Get the front matter of an agent with all keys and values as a template',
            answers: { 200: jsonAnswer('The template', z.object({ template: z.string() })) },
            errors: [404, 409],
            handler: served(templateHandler(toolRepository)),
          },
        },
        '/api/agents/:agent/tools': {
          GET: {
            id: 'listTools',
            summary: 'List the tools that an agent exports',
            answers: { 200: TOOLS },
            errors: [404, 409],
            handler: served(listHandler(toolRepository)),
          },
          POST: {
            id: 'addTool',
            summary: 'Add a tool to the card of an agent',
            body: toolBody,
            answers: { 201: TOOLS },
            errors: [404, 409],
            handler: served(addHandler(toolRepository)),
          },
        },
        '/api/agents/:agent/tools/:tool': {
          PUT: {
            id: 'replaceTool',
            summary: 'Replace a tool',
            body: toolBody,
            answers: { 200: TOOLS },
            errors: [404, 409],
            handler: served(replaceHandler(toolRepository)),
          },
          DELETE: {
            id: 'deleteTool',
            summary: 'Delete a tool from the card',
            query: z.object({ version: z.string().optional() }),
            answers: { 200: TOOLS },
            errors: [404, 409],
            handler: served(removeHandler(toolRepository)),
          },
        },
        '/api/agents/:agent/tools/:tool/preview': {
          POST: {
            id: 'previewTool',
            summary: 'Preview the prompt of a call and the problems of its arguments',
            body: argumentsBody,
            answers: { 200: jsonAnswer('The prompt', promptShape) },
            errors: [404, 409],
            handler: served(previewHandler(parts)),
          },
        },
        '/api/agents/:agent/tools/:tool/test': {
          POST: {
            id: 'testTool',
            summary: 'Call a tool in a run that can be watched',
            body: trialBody,
            answers: startedAnswers(startedShape),
            errors: RUN_ERRORS,
            handler: served(trialHandler(parts)),
          },
        },
      },
      { tag: 'Cards', ...context },
    ),
  }
}

/**
 * Returns a wrapper that rejects requests for agents that are not served, and callers other than operators,
 * because prompts of tools are as private as those of agents.
 */
function servedForOperators(runner: HeadendContext['runner']): (handler: Handler) => Handler {
  return (handler) => {
    const answer = withErrorResponse(handler)
    return (call) => {
      const agent = servedAgent(runner, toolRefOf(call).agent)
      if (isFailure(agent)) return errorResponse(agent)
      return isOperator(call.env.caller) ? answer(call) : errorResponse(operatorOnly())
    }
  }
}

function operatorOnly(): Failure {
  return failure('card_read_only', 'Only an operator of the server can read and edit cards.')
}

function templateHandler(toolRepository: ToolRepository): Handler {
  return async (call) => {
    return Response.json({ template: await toolRepository.template(toolRefOf(call).agent) })
  }
}

function listHandler(toolRepository: ToolRepository): Handler {
  return async (call) => {
    return Response.json(await toolRepository.read(toolRefOf(call).agent))
  }
}
