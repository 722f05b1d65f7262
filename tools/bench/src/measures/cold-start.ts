import assert from 'node:assert/strict'
import { cpuOverBareNode, programCommand } from '../command-cpu.ts'
import type { Measure } from '../sample-options.ts'
import { FINAL_TEXT } from '../script.ts'

/** Returns the CPU µs of a process that imports the library and runs one agent, less those of a bare Node process. */
export const measure: Measure = async ({ subject, size: times }) => {
  const { cpu, output } = await cpuOverBareNode(programCommand(`cold-${subject}`), times)
  assert.equal(output, FINAL_TEXT)
  return cpu
}
