import { audit, clamp, redact, retry } from '@troupe/hooks'
import { createHost } from '@troupe/host'
import { defineAgent, type AgentDefinition, type RunEvent, type RunReport } from '@troupe/schema'
import { keepTheRareOnes } from './hooks.ts'
import { readerOf, reserve } from './loans.ts'

const recommender = defineAgent({
  name: 'recommender',
  description: 'Recommends one book on request.',
  instruction: 'Recommend one book, in one sentence.',
})

/** The agent of desk.md in TypeScript, where functions and hooks, including the stock hooks, are values. */
const desk: AgentDefinition = defineAgent(
  {
    name: 'desk',
    description: 'The desk of a library. Finds books, reserves them, and knows whom to ask.',
    instruction: 'You stand at the desk of a library.',
    mcpServers: { catalogue: { command: 'node', args: ['catalogue-server.ts'] } },
    tools: { catalogue: ['find_*'] },
    functionTools: [reserve, readerOf],
    agents: [recommender],
    toolHooks: [
      audit(),
      redact({ kinds: ['emails'] }),
      clamp({ tools: ['catalogue__*'], args: { limit: { max: 2 } } }),
      retry({ sources: ['mcp', 'agent'] }),
      keepTheRareOnes,
    ],
  },
  { folder: import.meta.dirname },
)

/** Asks the desk once. Variables come from `env`. */
export async function askDesk(
  question: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly onEvent?: (event: RunEvent) => void
  },
): Promise<RunReport> {
  const { onEvent, env } = options
  const host = await createHost({ cards: [desk], cwd: import.meta.dirname, env })
  try {
    return await host.run(undefined, question, onEvent === undefined ? {} : { onEvent })
  } finally {
    await host.close()
  }
}
