/** The path of the list of agents. */
export const AGENTS_PATH = 'api/agents'

/** Returns the path of an agent. */
export function agentPath(agent: string): string {
  return `${AGENTS_PATH}/${encodeURIComponent(agent)}`
}
