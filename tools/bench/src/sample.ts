// The process of one measurement: takes its options as JSON and prints a number. Only the measured subject is loaded.
import type { Measure, SampleOptions } from './sample-options.ts'

const options = JSON.parse(process.argv[2] ?? '') as SampleOptions
const { measure } = (await import(`./measures/${options.measure}.ts`)) as { readonly measure: Measure }
process.stdout.write(JSON.stringify(await measure(options)))
