import assert from 'node:assert/strict'
import { cpuOverBareNode, troupeCommand } from '../command-cpu.ts'
import type { Measure } from '../sample-options.ts'

/** Returns the CPU µs of `troupe --help`, less those of a bare Node process. */
export const measure: Measure = async ({ size: times }) => {
  const { cpu, output } = await cpuOverBareNode(troupeCommand('--help'), times)
  assert.match(output, /troupe run/)
  return cpu
}
