import { troupeError, type AgentTool } from '@troupe/schema'
import type { ToolRef } from './tool-ref.ts'
import type { ToolRepository } from './tool-repository.ts'

/** Returns a tool from its card. Rejects with `tool_unknown`. */
export async function readTool(
  { agent, name, principal }: ToolRef,
  toolRepository: Pick<ToolRepository, 'read'>,
): Promise<AgentTool> {
  const { tools } = await toolRepository.read(agent, principal)
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw troupeError('tool_unknown', `${agent} offers no tool ${name.slice(0, 100)}.`)
  return tool
}
