import { troupeError, type AgentTool } from '@troupe/schema'
import type { AskedTool } from './asked-tool.ts'
import type { ToolShelf } from './tool-shelf.ts'

/** Returns a tool from its card. Rejects with `tool_unknown`. */
export async function readTool(
  { agent, name, principal }: AskedTool,
  shelf: Pick<ToolShelf, 'read'>,
): Promise<AgentTool> {
  const { tools } = await shelf.read(agent, principal)
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw troupeError('tool_unknown', `${agent} offers no tool ${name.slice(0, 100)}.`)
  return tool
}
