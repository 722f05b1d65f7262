import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { CHILD, FAULT_RUN, type FaultyTeam } from './faults.ts'

/** Opens the team as a host with a parent and a child. */
export async function openTroupeTeam(baseURL: string): Promise<FaultyTeam> {
  const { maxRetries, idleTimeoutMs, childrenPerRun } = FAULT_RUN
  const model = 'openai/gpt-5-mini'
  const limits = { maxRetries, idleTimeout: idleTimeoutMs, maxParallel: childrenPerRun }
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Does a part.',
    instruction: 'Do the part.',
    toolName: CHILD,
    model,
    limits,
  })
  const lead = defineAgent({
    name: 'Lead',
    instruction: 'Ask a clerk for each part.',
    agents: [clerk],
    model,
    limits,
  })
  const host = await createHost({
    cards: [lead],
    cwd: import.meta.dirname,
    config: { providers: { openai: { baseURL, api: 'chat', stream: true } } },
    env: { OPENAI_API_KEY: 'key-of-the-bench' },
  })
  return {
    run: async (input) => {
      const report = await host.run('Lead', input)
      if (report.error !== undefined) throw new Error(report.error.message)
      return report.output.text ?? ''
    },
    close: () => host.close(),
  }
}
