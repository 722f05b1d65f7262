import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'

/** A team in a folder: a lead that calls a clerk many times at once. Each clerk calls a tool that may run once. */
export interface FanOut {
  readonly folder: string
  /** Returns the texts with which the tool was called, in the order of the calls. */
  readonly stamps: () => Promise<readonly string[]>
}

/** Writes the team. `waitMs` is the time that each answer of the clerks takes. */
export async function fanOutTeam(count: number, { waitMs }: { readonly waitMs: number }): Promise<FanOut> {
  const calls = Array.from(
    { length: count },
    (_, index) => `        - { tool: agent__Clerk, args: { text: 'n${index}' } }`,
  )
  const project = await tempProject({
    'lead.md': [
      '---',
      'name: Lead',
      'description: Leads.',
      'model: script/script.yaml',
      'agents: [clerk.md]',
      `limits: { maxParallel: ${count}, maxToolCallsPerTurn: ${count}, maxRuns: ${count + 1}, childTimeout: 30m }`,
      'default: true',
      '---',
      'Lead.',
      '',
    ].join('\n'),
    'clerk.md': [
      '---',
      'name: Clerk',
      'description: Stamps.',
      'model: script/script.yaml',
      'functionTools: [stamp.mjs:stamp]',
      '---',
      'Stamp.',
      '',
    ].join('\n'),
    'script.yaml': [
      'agents:',
      '  Lead:',
      '    - call:',
      ...calls,
      '    - say: All done.',
      '  Clerk:',
      `    - { delay: ${waitMs}ms, call: [{ tool: stamp, args: { text: '{{input}}' } }] }`,
      `    - { delay: ${waitMs}ms, say: 'Stamped {{input}}.' }`,
      '',
    ].join('\n'),
    'stamp.mjs': [
      "import { appendFileSync } from 'node:fs'",
      'export function stamp({ text }) {',
      "  appendFileSync(new URL('stamps.txt', import.meta.url), `${text}\\n`)",
      "  return 'stamped'",
      '}',
      "stamp.description = 'Stamps a text.'",
      "stamp.input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }",
      "stamp.effect = 'once'",
      '',
    ].join('\n'),
  })
  onTestFinished(() => project.remove())
  return {
    folder: project.path,
    stamps: async () => {
      const text = await readFile(join(project.path, 'stamps.txt'), 'utf8').catch(() => '')
      return text.split('\n').filter((line) => line !== '')
    },
  }
}
