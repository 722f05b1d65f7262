import type { AgentDefinition } from '@troupe/schema'
import type { TroupeServer } from '@troupe/server'

/**
 * Returns the lines of the start: the served agents, and an example command per protocol. Every line is valid
 * in a shell.
 */
export function servingLines(
  { url, examples }: Pick<TroupeServer, 'url' | 'examples'>,
  agents: readonly AgentDefinition[],
): readonly string[] {
  const names = agents.map(({ name }) => name).join(', ')
  return [
    `# troupe serves ${names} at ${url}`,
    ...examples.flatMap(({ title, url: at, command }) => ['', `# ${title}: ${at}`, command]),
  ]
}
