import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** Creates an MCP server with one tool, `get_current_time`, for any IANA time zone. */
function createTimeServer() {
  const server = new McpServer({ name: 'time', version: '1.0.0' })
  server.registerTool(
    'get_current_time',
    {
      description: 'The current date and time in a time zone.',
      inputSchema: z.object({ timezone: z.string().describe('An IANA name such as Europe/London') }),
      annotations: { readOnlyHint: true },
    },
    ({ timezone }) => ({ content: [{ type: 'text', text: timeIn(timezone) }] }),
  )
  return server
}

/** Returns the time as `2026-11-21 08:30:05 (America/New_York)`. Throws for an unknown zone: a tool error. */
function timeIn(timezone) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return `${format.format(new Date())} (${timezone})`
}

serveStdio(createTimeServer)
