import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { commandCpu, troupeCommand } from '../command-cpu.ts'
import type { Measure } from '../sample-options.ts'

const TEAM = fileURLToPath(new URL('../../../../examples/new-york-london', import.meta.url))

/** Returns the CPU µs of the team run of the README: three agents, a scripted model, and the MCP server as its own process. */
export const measure: Measure = async ({ size: times }) => {
  const args = troupeCommand('run', TEAM, 'What time is it in New York and London?', '--quiet')
  const { cpu, output } = await commandCpu([...args, '--store', 'runs.db'], times)
  assert.match(output, /New York: It is \d.*London: It is \d/)
  return cpu
}
