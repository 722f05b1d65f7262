// An MCP server that fails as it is told: `main.mjs stdio|http [fault from the start]`. Every tool is one fault; see tools.mjs.
import { serveHttp } from './http.mjs'
import { serveStdio } from './stdio.mjs'

const [door, fault] = process.argv.slice(2)
if (door === 'http') serveHttp(fault)
else serveStdio(fault)
