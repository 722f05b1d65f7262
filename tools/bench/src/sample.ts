// The process of one measurement: takes a probe and an effort as JSON, prints a number.
import type { Effort, Probe } from './probe.ts'
import { takeSample } from './take-sample.ts'

const [probe, effort] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown)
process.stdout.write(JSON.stringify(await takeSample(probe as Probe, effort as Effort)))
