import { troupeError, type AgentTool, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { askedTool } from './asked-tool.ts'
import { unknownPlaceholders } from './filled-prompt.ts'
import type { ToolShelf } from './tool-shelf.ts'
import { toolWish } from './tool-wish.ts'

type Shelf = Pick<ToolShelf, 'change'>

/** `POST …/tools`: a further tool. */
export function addHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, principal } = askedTool(call)
    const wish = await requireTool(call.req.raw)
    return Response.json(await shelf.change({ agent, ...wish }, principal), { status: 201 })
  }
}

/** `PUT …/tools/:tool`: another one in its place. */
export function replaceHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, name, principal } = askedTool(call)
    const wish = await requireTool(call.req.raw)
    return Response.json(await shelf.change({ agent, ...wish, name }, principal))
  }
}

/** `DELETE …/tools/:tool`. */
export function removeHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, name, principal } = askedTool(call)
    const version = call.req.query('version')
    return Response.json(await shelf.change({ agent, name, version }, principal))
  }
}

/** Refuses a tool that no client could call, before anything is written. */
async function requireTool(
  request: Request,
): Promise<{ readonly tool: AgentTool; readonly version: string | undefined }> {
  const { tool, version } = await requireJson(request, toolWish)
  const problem = schemaProblem(tool.parameters as unknown as JsonObject)
  if (problem !== undefined) throw troupeError('tool_schema_invalid', `parameters: ${problem}`)
  const [unknown] = unknownPlaceholders(tool)
  if (unknown !== undefined)
    throw troupeError('template_unknown_placeholder', `The prompt has ${unknown}, which names nothing.`)
  return { tool, version }
}
