import { troupeError, type AgentTool, type JsonObject } from '@troupe/schema'
import { schemaProblem } from '@troupe/tools'
import { requireJson } from '../read-json.ts'
import type { Handler } from '../handler.ts'
import { askedTool } from './asked-tool.ts'
import { unknownPlaceholders } from './filled-prompt.ts'
import type { ToolShelf } from './tool-shelf.ts'
import { toolWish } from './tool-wish.ts'

type Shelf = Pick<ToolShelf, 'change'>

/** Handles `POST …/tools`: adds a tool. */
export function addHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, principal } = askedTool(call)
    const wish = await requireTool(call.req.raw)
    return Response.json(await shelf.change({ agent, ...wish }, principal), { status: 201 })
  }
}

/** Handles `PUT …/tools/:tool`: replaces a tool. */
export function replaceHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, name, principal } = askedTool(call)
    const wish = await requireTool(call.req.raw)
    return Response.json(await shelf.change({ agent, ...wish, name }, principal))
  }
}

/** Handles `DELETE …/tools/:tool`. */
export function removeHandler(shelf: Shelf): Handler {
  return async (call) => {
    const { agent, name, principal } = askedTool(call)
    const version = call.req.query('version')
    return Response.json(await shelf.change({ agent, name, version }, principal))
  }
}

/** Reads a tool from the body. Throws before anything is written if no client could call it. */
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
