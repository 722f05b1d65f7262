/**
 * Prints how large Troupe is installed and bundled, beside other agent libraries that are installed from npm in the same
 * run. `--tarballs <folder>` has the packed packages of Troupe. `--write` puts the table into `docs/embedding.md`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleSizes } from './bundle-sizes.ts'
import { installFromNpm, installTarballs, nameOfTarball, tarballsOf } from './install-tarballs.ts'
import { installedSize } from './installed-size.ts'
import { formatSizes, replaceSizes, type SizeRow } from './size-table.ts'

/** A library whose size is measured. */
interface Subject {
  readonly label: string
  /** Packages from npm with their ranges. */
  readonly packages: Readonly<Record<string, string>>
  /** Packages of Troupe, from the tarballs. */
  readonly own?: readonly string[]
  /** A program that uses it, of which the bundle is measured. */
  readonly program: string
}

const TOOL_SCHEMA = `{ type: 'object', properties: { a: { type: 'number' } } }`
/** Every program with one tool and one model does the same: an agent with a tool that doubles a number. */
const SUBJECTS: readonly Subject[] = [
  {
    label: '`@troupe/core`',
    own: ['@troupe/core'],
    packages: {},
    program: `export { openSession } from '@troupe/core'`,
  },
  {
    label: '`@troupe/core`, one tool, one model',
    own: ['@troupe/core', '@troupe/schema'],
    packages: { '@ai-sdk/openai': '^4' },
    program: `
      import { createOpenAI } from '@ai-sdk/openai'
      import { openSession } from '@troupe/core'
      import { defineTool } from '@troupe/schema'
      const double = defineTool({ name: 'double', description: 'Doubles.', input: ${TOOL_SCHEMA}, execute: ({ a }) => a * 2 })
      const model = createOpenAI({ apiKey: 'key' })('gpt-5-mini')
      export const session = openSession({ agent: { name: 'doubler', instruction: 'Double.' }, model, tools: [double] })`,
  },
  {
    label: '`troupe`, everything',
    own: ['troupe'],
    packages: {},
    program: `
      import { defineTool, runAgent } from 'troupe'
      const double = defineTool({ name: 'double', description: 'Doubles.', input: ${TOOL_SCHEMA}, execute: ({ a }) => a * 2 })
      export const result = () => runAgent({ model: 'openai/gpt-5-mini', instruction: 'Double.', tools: [double] }, '21')`,
  },
  {
    label: '`ai`, one tool, one model',
    packages: { ai: '^7', '@ai-sdk/openai': '^4' },
    program: `
      import { createOpenAI } from '@ai-sdk/openai'
      import { jsonSchema, stepCountIs, tool, ToolLoopAgent } from 'ai'
      const double = tool({ description: 'Doubles.', inputSchema: jsonSchema(${TOOL_SCHEMA}), execute: ({ a }) => a * 2 })
      const model = createOpenAI({ apiKey: 'key' })('gpt-5-mini')
      export const agent = new ToolLoopAgent({ model, instructions: 'Double.', tools: { double }, stopWhen: stepCountIs(5) })`,
  },
  {
    label: '`@openai/agents`, one tool, one model',
    packages: { '@openai/agents': '^0.20.0', zod: '^4' },
    program: `
      import { Agent, run, tool } from '@openai/agents'
      const double = tool({ name: 'double', description: 'Doubles.', strict: false, parameters: { ...${TOOL_SCHEMA}, required: [], additionalProperties: true }, execute: ({ a }) => a * 2 })
      export const agent = new Agent({ name: 'doubler', instructions: 'Double.', model: 'gpt-5-mini', tools: [double] })
      export const result = () => run(agent, '21')`,
  },
  {
    label: '`@mastra/core`, one tool, one model',
    packages: { '@mastra/core': '^1', zod: '^4' },
    program: `
      import { Agent } from '@mastra/core/agent'
      import { createTool } from '@mastra/core/tools'
      import { z } from 'zod'
      const double = createTool({ id: 'double', description: 'Doubles.', inputSchema: z.object({ a: z.number() }), execute: async ({ a }) => a * 2 })
      export const agent = new Agent({ id: 'doubler', name: 'doubler', instructions: 'Double.', model: 'openai/gpt-5-mini', tools: { double } })`,
  },
]

const { values } = parseArgs({ options: { tarballs: { type: 'string' }, write: { type: 'boolean' } } })
if (values.tarballs === undefined) {
  console.error('Pass the folder of the packed packages: --tarballs <folder>.')
  process.exit(2)
}
const available = tarballsOf(values.tarballs)
const work = mkdtempSync(path.join(tmpdir(), 'troupe-sizes-'))
try {
  const rows: SizeRow[] = []
  for (const [index, subject] of SUBJECTS.entries()) rows.push(await measure(subject, String(index)))
  const table = formatSizes(rows)
  console.log(table)
  if (values.write === true) {
    const page = path.join(import.meta.dirname, '../../../docs/embedding.md')
    writeFileSync(page, replaceSizes(readFileSync(page, 'utf8'), table))
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function measure({ label, packages, own = [], program }: Subject, name: string): Promise<SizeRow> {
  const folder = path.join(work, name)
  const tarballs = available.filter((file) => own.includes(nameOfTarball(file)))
  if (tarballs.length !== own.length) throw new Error(`Not all of ${own.join(', ')} are packed.`)
  if (own.length === 0) installFromNpm(folder, packages)
  else installTarballs(folder, { tarballs, available, others: packages })
  const installed = installedSize(folder)
  const bundled = await bundleSizes(folder, program)
  rmSync(folder, { recursive: true, force: true })
  return { label, ...installed, ...bundled }
}
