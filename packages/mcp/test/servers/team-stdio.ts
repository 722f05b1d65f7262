import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createTeamServer } from './team-server.ts'

serveStdio(({ era }) => createTeamServer(era))
