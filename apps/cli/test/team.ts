import { systemClock } from '@troupe/core'
import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import { testContext, type TestContext, type TestContextOptions } from './test-context.ts'

/** A team of two: the root calls the agents of both cities at once. */
export const TIME_TEAM: Readonly<Record<string, string>> = {
  'team/time.md': [
    '---',
    'name: Time',
    'description: Tells the time in two cities.',
    'usage: What time is it?',
    'model: script/script.yaml',
    'default: true',
    'agents: [City]',
    '---',
    'Ask both.',
  ].join('\n'),
  'team/city.md': [
    '---',
    'name: City',
    'description: Tells the time in one city.',
    'model: script/script.yaml',
    'functionTools: [tools.mjs:now]',
    '---',
    'Look at the clock.',
  ].join('\n'),
  'team/tools.mjs': [
    'export function now({ zone }) {',
    '  console.log("looked at the clock of " + zone)',
    '  return "five in " + zone',
    '}',
    'now.description = "The time."',
  ].join('\n'),
  'team/script.yaml': [
    'agents:',
    '  Time:',
    '    - call: [{tool: agent__City, args: {text: Paris}}, {tool: agent__City, args: {text: Rome}}]',
    "    - say: '{{results.0.text}}; {{results.1.text}}'",
    '  City:',
    "    - call: [{tool: now, args: {zone: '{{input}}'}}]",
    "    - say: 'It is {{results.0.text}}'",
  ].join('\n'),
}

/** Returns a card of one agent whose model plays `script`, and the given files. */
export function oneAgent(
  script: string,
  {
    fields = '',
    files = {},
  }: { readonly fields?: string; readonly files?: Readonly<Record<string, string>> } = {},
): Readonly<Record<string, string>> {
  return {
    'one.md': `---\nname: One\ndescription: Does one thing.\nmodel: script/script.yaml\n${fields}\n---\nDo it.\n`,
    'script.yaml': `agents:\n  One:\n${script
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')}\n`,
    ...files,
  }
}

/** Creates a folder with these files that is removed after the test. */
export async function project(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const folder = await tempProject({ '.git/HEAD': '', ...files })
  onTestFinished(() => folder.remove())
  return folder
}

/** The end of a command line. */
export interface Ended {
  /** `null` if the process was killed. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs one command line in this folder, which is also the home of the user, with the real time. */
export async function troupeIn(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const path = process.env['PATH'] ?? ''
  const context = testContext({ cwd, home: cwd, env: { PATH: path, HOME: cwd, ...env } })
  const code = await runProgram(args, { ...context, clock: systemClock })
  return { code, out: context.out(), err: context.err() }
}

/** Runs one command line in a folder with these files. */
export async function troupe(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  options: TestContextOptions = {},
): Promise<TestContext & { readonly code: number; readonly folder: TempProject }> {
  const folder = await project(files)
  const context = testContext({ cwd: folder.path, ...options })
  const code = await runProgram(args, context)
  return { ...context, code, folder }
}
