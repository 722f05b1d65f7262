import { troupeError, type AgentTool, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { toolRefOf } from './tool-ref.ts'
import { unknownPlaceholders } from './fill-prompt.ts'
import type { ToolRepository } from './tool-repository.ts'
import { toolBody } from './tool-bodies.ts'

type ToolEditor = Pick<ToolRepository, 'change'>

/** Handles `POST …/tools`: adds a tool. */
export function addHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent, principal } = toolRefOf(call)
    const body = await requireTool(call.req.raw)
    return Response.json(await toolRepository.change({ agent, ...body }, principal), { status: 201 })
  }
}

/** Handles `PUT …/tools/:tool`: replaces a tool. */
export function replaceHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent, name, principal } = toolRefOf(call)
    const body = await requireTool(call.req.raw)
    return Response.json(await toolRepository.change({ agent, ...body, name }, principal))
  }
}

/** Handles `DELETE …/tools/:tool`. */
export function removeHandler(toolRepository: ToolEditor): Handler {
  return async (call) => {
    const { agent, name, principal } = toolRefOf(call)
    const version = call.req.query('version')
    return Response.json(await toolRepository.change({ agent, name, version }, principal))
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
    throw troupeError('template_unknown_placeholder', `The prompt has ${unknown}, which names nothing.`)
  return { tool, version }
}
