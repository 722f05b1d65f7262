import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'

const cwd = path.join(import.meta.dirname, '..')
const troupe = ['--conditions=@troupe/source', path.join(cwd, '../../apps/cli/src/bin.ts')]
const args = [...troupe, 'mcp', '.', '--no-store']

async function connect(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return client
}

it('a client over stdio sees typed tools and gets the offers of the team', async () => {
  const client = await connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, stderr: 'ignore' }),
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['travel_find_flights', 'travel_find_hotels'])
  for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ required: ['offers'] })
  const flights = await client.callTool({
    name: 'travel_find_flights',
    arguments: { destination: 'Oslo', date: '2026-12-01' },
  })
  expect(flights.structuredContent).toEqual({ offers: [{ name: 'TR 42 to Oslo', price: 120 }] })
  const refused = await client.callTool({
    name: 'travel_find_flights',
    arguments: { destination: 'Oslo', date: 'tomorrow' },
  })
  expect(refused.isError).toBe(true)
})

it('a client over HTTP gets the offers of the team', async () => {
  const server = spawn(process.execPath, [...args, '--http', '--port', '0'], { cwd })
  onTestFinished(async () => {
    const exit = once(server, 'exit')
    server.kill()
    await exit
  })
  const [line] = (await once(createInterface(server.stderr), 'line')) as [string]
  const address = /http:\S+/u.exec(line)?.[0] ?? line
  const client = await connect(new StreamableHTTPClientTransport(new URL(address)))
  const hotels = await client.callTool({ name: 'travel_find_hotels', arguments: { city: 'Oslo', nights: 2 } })
  expect(hotels.structuredContent).toEqual({ offers: [{ name: 'Hotel Oslo', price: 160 }] })
})
