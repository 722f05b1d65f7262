// Opens a pool whose state folder is its argument, prints the process id of its server, and waits to be killed.
import { PROCESS_GROUPS } from '@troupe/process'
import { resultText, type ToolContext, type ToolResult } from '@troupe/schema'
import { faultMcpStdio } from '@troupe/testkit/internal'
import { createMcpPool } from '../../src/index.ts'
import { realClock } from '../support/real-clock.ts'

const [processFolder = ''] = process.argv.slice(2)
const pool = createMcpPool({
  client: { name: 'killed-app', version: '0.0.0' },
  baseEnv: { PATH: process.env['PATH'] },
  clock: realClock,
  containment: async () => PROCESS_GROUPS,
  processFolder,
})
const lease = await pool.lease({
  server: 'tm',
  config: {
    command: 'sh',
    args: ['-c', '"$0" "$@"; exit $?', faultMcpStdio().command, ...faultMcpStdio().args],
  },
  principal: 'me',
  folder: '/',
})
const tool = lease.tools.find(({ name }) => name === 'tm__grandchild')
const context = { signal: new AbortController().signal, progress: () => undefined } as unknown as ToolContext
const result = (await tool?.execute({}, context)) as ToolResult
process.stdout.write(`${resultText(result)}\n`)
setInterval(() => undefined, 1000)
