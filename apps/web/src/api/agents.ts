import type { StartedTrial, ToolBody, ToolList, TrialBody } from '@troupe/headends'
import { request, type RequestResult } from './request.ts'

/** The path of the list of agents. */
export const AGENTS_PATH = 'api/agents'

/** The path of the list of schedules. */
export const SCHEDULES_PATH = 'api/schedules'

/** Starts a run of a schedule now, pauses the schedule, or resumes it. */
export function controlSchedule(
  name: string,
  action: 'run' | 'pause' | 'resume',
): Promise<RequestResult<unknown>> {
  return request(`${SCHEDULES_PATH}/${encodeURIComponent(name)}/${action}`, { method: 'POST', body: {} })
}

/** Returns the path of an agent. */
export function agentPath(agent: string): string {
  return `${AGENTS_PATH}/${encodeURIComponent(agent)}`
}

/** Returns the path of the exported tools of an agent. */
export function toolsPath(agent: string): string {
  return `${agentPath(agent)}/tools`
}

function toolPath(agent: string, tool: string): string {
  return `${toolsPath(agent)}/${encodeURIComponent(tool)}`
}

/** Writes a tool to the card: replaces the tool `name`, or adds a new one if `name` is `undefined`. */
export function saveTool(
  agent: string,
  edit: ToolBody & { readonly name: string | undefined },
): Promise<RequestResult<ToolList>> {
  const { name, tool, version } = edit
  const body = { tool, version }
  return name === undefined
    ? request(toolsPath(agent), { method: 'POST', body })
    : request(toolPath(agent, name), { method: 'PUT', body })
}

/** Deletes a tool from the card. */
export function deleteTool(
  agent: string,
  { name, version }: { readonly name: string; readonly version: string | undefined },
): Promise<RequestResult<ToolList>> {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
  return request(`${toolPath(agent, name)}${query}`, { method: 'DELETE' })
}

/** Calls a tool as an MCP client would, in a run that can be watched. */
export function testTool(
  agent: string,
  tool: string,
  trial: TrialBody,
): Promise<RequestResult<StartedTrial>> {
  return request(`${toolPath(agent, tool)}/test`, { method: 'POST', body: trial })
}
