import { toolTable } from '../../reporter/tool-table.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/tools`: lists the tools of the agent. Starts its MCP servers. */
export const TOOLS: SlashCommand = {
  name: 'tools',
  description: 'the tools of the agent',
  async run(_argument, { teamChat, print }) {
    const lease = await teamChat.team.host.tools(teamChat.agent)
    try {
      print(toolTable(lease))
    } finally {
      await lease.release()
    }
  },
}
