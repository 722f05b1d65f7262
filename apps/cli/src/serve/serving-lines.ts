import type { AgentDefinition } from '@troupe/schema'
import type { TroupeServer } from '@troupe/server'

/** What is said at the start: who is served, and one line to paste for each protocol. Every line is fit for a shell. */
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
