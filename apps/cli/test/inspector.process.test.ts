import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { startProgram, toNodeArgs } from './start-program.ts'
import { project } from './team.ts'
import { travelAgent } from './travel.ts'

const run = promisify(execFile)
const INSPECTOR = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'))),
  'clients/launcher/build/index.js',
)
const CALL = [
  '--method',
  'tools/call',
  '--tool-name',
  'Travel_book_flight',
  '--tool-arg',
  'destination=Paris, France',
  '--tool-arg',
  'departure_date=2026-12-01',
]
const BOOKED =
  'Booked: The user wants to book a flight to Paris, France on 2026-12-01, please book accordingly'

/** Returns what the inspector prints about the server that the words name. */
async function inspect(cwd: string, ...words: readonly string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd },
  })
  return JSON.parse(stdout)
}

describe(`the inspector of MCP ${verifies('D24')}`, () => {
  it.each(['legacy', 'modern'])(
    'the MCP Inspector lists and calls book_flight over stdio (%s)',
    { timeout: 60_000 },
    async (era) => {
      const { path } = await project(travelAgent())
      const server = [process.execPath, ...toNodeArgs(), 'mcp', 'travel.md', '--no-store']
      const words = ['--protocol-era', era]
      const [listed, called] = await Promise.all([
        inspect(path, ...server, ...words, '--method', 'tools/list'),
        inspect(path, ...server, ...words, ...CALL),
      ])
      expect(listed).toMatchObject({
        tools: [{ name: 'Travel_book_flight', inputSchema: { required: ['destination', 'departure_date'] } }],
      })
      expect(called).toMatchObject({ content: [{ text: BOOKED }] })
    },
  )

  it(
    'the MCP Inspector lists and calls book_flight over HTTP, with both protocol generations',
    { timeout: 60_000 },
    async () => {
      const { path } = await project(travelAgent())
      const server = startProgram(['mcp', 'travel.md', '--http', '--port', '0', '--no-store'], path)
      await server.says('/mcp\n')
      const url = /http:\S+/u.exec(server.err())?.[0] ?? ''
      const [listed, ...called] = await Promise.all([
        inspect(path, url, '--method', 'tools/list'),
        inspect(path, url, '--protocol-era', 'legacy', ...CALL),
        inspect(path, url, '--protocol-era', 'modern', ...CALL),
      ])
      expect(listed).toMatchObject({ tools: [{ name: 'Travel_book_flight' }] })
      for (const each of called) expect(each).toMatchObject({ content: [{ text: BOOKED }] })
    },
  )
})
