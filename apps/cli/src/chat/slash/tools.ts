import { toolTable } from '../../reporter/tool-table.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/tools`: lists the tools of the agent. Starts its MCP servers. */
export const TOOLS: SlashCommand = {
  name: 'tools',
  description: 'the tools of the agent',
  async run(_argument, { talk, tell }) {
    const lease = await talk.team.host.tools(talk.agent)
    try {
      tell(toolTable(lease))
    } finally {
      await lease.release()
    }
  },
}
