import type { CheckedAgent } from '../check/check-agent.ts'
import { scriptFiles } from './script-texts.ts'

/**
 * Returns a text that changes whenever runs of the agent would: with its definition, variables, servers,
 * code, tools or scripts.
 */
export function agentSignature(agent: CheckedAgent, scripts: ReadonlyMap<string, string>): string {
  const { member, environment, servers, parts } = agent
  return JSON.stringify([
    member.definition.digest,
    member.card.path,
    member.children,
    environment.overlay.fingerprint,
    servers,
    parts.modules,
    parts.tools.map(({ tool }) => [tool.name, tool.description, tool.instructions]),
    scriptFiles(agent).map((file) => scripts.get(file)),
  ])
}
