import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createTeamServer } from './team-server.ts'

// without the entry point for both eras, the server supports only the older one
await createTeamServer('legacy').connect(new StdioServerTransport())
