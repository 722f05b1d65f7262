import { createHost, type HostOptions } from '@troupe/host'
import { defineAgent, type AgentDefinition, type RunReport } from '@troupe/schema'

/** Defines the agent of a time card in TypeScript, with the same keys. */
function timeAgent(name: string, city: string, timezone: string): AgentDefinition {
  return defineAgent({
    name,
    description: `Tells the current time in ${city}.`,
    usage: 'now',
    instruction: `Return the current time in ${city}. Ask the time server for the zone ${timezone}.`,
    servers: ['tm'],
    tools: { tm: ['get_current_time'] },
  })
}

export const orchestrator: AgentDefinition = defineAgent({
  name: 'time-orchestrator',
  description: 'Tells what time it is in New York and London.',
  usage: 'What time is it in New York and London?',
  instruction:
    'Get the current time in New York and London. Ask both agents at once and answer in one sentence.',
  default: true,
  agents: [
    timeAgent('NY-Time', 'New York', 'America/New_York'),
    timeAgent('London-Time', 'London', 'Europe/London'),
  ],
})

/** Asks the team once. `model` replaces the script, `config` all of troupe.json; API keys come from `env`. */
export async function askTeam(
  question: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly model?: string
    readonly config?: NonNullable<HostOptions['config']>
  },
): Promise<RunReport> {
  const host = await createHost({ cards: [orchestrator], cwd: import.meta.dirname, ...options })
  try {
    return await host.run(undefined, question)
  } finally {
    await host.close()
  }
}

if (import.meta.main) {
  const report = await askTeam('What time is it in New York and London?', { env: process.env })
  console.log(report.output.text)
}
