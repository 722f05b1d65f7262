import {
  troupeError,
  type AgentTool,
  type JsonObject,
  type ModelChoice,
  type RunReport,
} from '@troupe/schema'
import type { ValidateArguments } from '@troupe/schema/ports'
import { schemaProblem } from '@troupe/tools'
import {
  fillPromptTemplate,
  parsePromptTemplate,
  templateProblems,
  type FillMode,
  type PromptSubject,
} from '@troupe/tools/prompt-template'
import { z } from 'zod'
import { errorResponse } from '../headend/errors.ts'
import type { Handler, HandlerContext } from '../headend/headend.ts'
import { requireJson, jsonObject } from '../request/read-json.ts'
import { reportEnvelope } from '../rest/answer-report.ts'
import type { RunService } from '../run-service/run-service.ts'
import { modelProblem } from '../runs/run-handlers.ts'
import type { StartedRun } from '../run-service/start-run.ts'
import type { ToolRepository } from './tool-repository.ts'

const tool = z.strictObject({
  name: z.string().trim().min(1).max(64).meta({ description: 'The name that clients use.' }),
  description: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .meta({ description: 'The description that models read.' }),
  parameters: jsonObject
    .refine((schema) => schema['type'] === 'object', { message: 'expected a JSON Schema of type object' })
    .meta({ description: 'A JSON Schema of type object.' }),
  prompt: z
    .string()
    .min(1)
    .max(50_000)
    .meta({ description: 'The prompt template, filled in with the arguments.' }),
})

/** Body of a request that writes a tool into a card. */
export interface ToolBody {
  readonly tool: AgentTool
  readonly version?: string | undefined
}

/** Schema of the body of `POST /api/agents/:agent/tools` and `PUT …/:tool`. */
export const toolBody: z.ZodType<ToolBody> = z
  .strictObject({
    tool: tool as unknown as z.ZodType<AgentTool>,
    version: z.string().optional().meta({ description: 'The version of the card that was read.' }),
  })
  .meta({ id: 'ToolBody' })

/** Body of a request for the preview of a call. */
export interface ArgumentsBody {
  readonly args: JsonObject
}

/** Schema of the body of `POST …/:tool/preview`. */
export const argumentsBody: z.ZodType<ArgumentsBody> = z
  .strictObject({ args: jsonObject })
  .meta({ id: 'ArgumentsBody' })

/** Body of a request that tries a tool. */
export interface TrialBody extends ArgumentsBody {
  readonly model?: string | undefined
}

/** Schema of the body of `POST …/:tool/test`. */
export const trialBody: z.ZodType<TrialBody> = z
  .strictObject({
    args: jsonObject,
    model: z.string().optional().meta({
      description: 'A model of `/api/models` that every agent of the run uses instead of its own.',
    }),
  })
  .meta({ id: 'TrialBody' })

/** A trial that was started. */
export interface StartedTrial extends StartedRun {
  readonly prompt: string
}

type ToolEditor = Pick<ToolRepository, 'change'>

/** Handles `POST …/tools`: adds a tool. */
export function addHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent } = toolRefOf(call)
    const body = await requireTool(call.req.raw)
    return Response.json(await toolRepository.change({ agent, ...body }), { status: 201 })
  }
}

/** Handles `PUT …/tools/:tool`: replaces a tool. */
export function replaceHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent, name } = toolRefOf(call)
    const body = await requireTool(call.req.raw)
    return Response.json(await toolRepository.change({ agent, ...body, name }))
  }
}

/** Handles `DELETE …/tools/:tool`. */
export function removeHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent, name } = toolRefOf(call)
    const version = call.req.query('version')
    return Response.json(await toolRepository.change({ agent, name, version }))
  }
}

/** Reads a tool from the body. Throws before anything is written if no client could call it. */
async function requireTool(
  request: Request,
): Promise<{ readonly tool: AgentTool; readonly version: string | undefined }> {
  const { tool, version } = await requireJson(request, toolBody)
  const problem = schemaProblem(tool.parameters as unknown as JsonObject)
  if (problem !== undefined) throw troupeError('tool_schema_invalid', `parameters: ${problem}`)
  const [unknown] = unknownPlaceholders(tool)
  if (unknown !== undefined)
    throw troupeError(
      'template_unknown_placeholder',
      `The prompt contains ${unknown}, which is not a parameter.`,
    )
  return { tool, version }
}

/** Dependencies of the preview and trial handlers. */
interface TrialParts {
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
    const problem = modelProblem(model, models())
    if (problem !== undefined) return errorResponse(problem)
    const { prompt, problems } = fillPrompt(tool, args, { validate, mode: 'run' })
    if (problems.length > 0)
      throw troupeError(
        'request_invalid',
        `The arguments of ${tool.name} do not match its schema: ${problems.join('; ')}`,
      )
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

/** A tool of an agent, and the principal that requests it. */
interface ToolRef {
  readonly agent: string
  /** Empty if the path has no tool name. */
  readonly name: string
  readonly principal: string
}

/** Returns the agent and the tool that the path names. */
export function toolRefOf({ req, env }: HandlerContext): ToolRef {
  return {
    agent: req.param('agent') ?? '',
    name: req.param('tool') ?? '',
    principal: env.caller.principal,
  }
}

/** Returns a tool from its card. Rejects with `tool_unknown`. */
async function readTool(
  { agent, name }: ToolRef,
  toolRepository: Pick<ToolRepository, 'read'>,
): Promise<AgentTool> {
  const { tools } = await toolRepository.read(agent)
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool === undefined)
    throw troupeError('tool_unknown', `${agent} does not export a tool named ${name.slice(0, 100)}.`)
  return tool
}

/** The prompt that a call of an exported tool sends to its agent. */
export interface ToolPrompt {
  readonly prompt: string
  /** Problems of the arguments; empty if they are valid. */
  readonly problems: readonly string[]
}

/**
 * Fills the prompt of a tool with the arguments of a call and validates them. The mode `preview` keeps the
 * placeholders of missing arguments.
 */
function fillPrompt(
  tool: AgentTool,
  args: JsonObject,
  { validate, mode }: { readonly validate: ValidateArguments; readonly mode: FillMode },
): ToolPrompt {
  const subject = subjectOf(tool)
  const valid = validate(subject.parameters, args)
  const template = parsePromptTemplate(tool.prompt)
  return {
    prompt: fillPromptTemplate(template, { subject, args: valid.ok ? valid.args : args, mode }),
    problems: valid.ok ? [] : valid.problems,
  }
}

/** Returns the unknown placeholders in the prompt of a tool. */
function unknownPlaceholders(tool: AgentTool): readonly string[] {
  return templateProblems(parsePromptTemplate(tool.prompt), subjectOf(tool)).map(
    ({ placeholder }) => placeholder,
  )
}

function subjectOf({ name, description, parameters }: AgentTool): PromptSubject {
  return { tool: { name, description }, parameters: parameters as unknown as JsonObject }
}
