import { join } from 'node:path'
import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../../src/index.ts'

/** Files in a folder of their own, gone when the test ends. */
export async function openProject(files: Readonly<Record<string, string>>): Promise<TempProject> {
  const project = await tempProject(files)
  onTestFinished(() => project.remove())
  return project
}

/** A host and the folder of its files. */
export type RunningTeam = Host & { readonly path: string }

/** A host over such files, closed when the test ends. `cards` are relative to the folder; default: the folder. */
export async function openTeam(
  files: Readonly<Record<string, string>>,
  options: Partial<HostOptions> = {},
): Promise<RunningTeam> {
  const { path } = await openProject(files)
  const host = await createHost({ cards: ['.'], cwd: path, home: path, ...options })
  onTestFinished(() => host.close())
  return { ...host, path }
}

/** The definition of a real MCP server process; names beyond its own tools add further ones. */
export function stdioServer(...tools: readonly string[]): {
  readonly command: string
  readonly args: string[]
  readonly startTimeout: string
} {
  return {
    command: process.execPath,
    args: [join(import.meta.dirname, 'stdio-server.mjs'), ...tools],
    // a busy machine may take its time to start it
    startTimeout: '10m',
  }
}

/** The text of a card. */
export function card(fields: Readonly<Record<string, unknown>>, prompt = 'Help.'): string {
  const all = { description: 'Helps.', ...fields }
  const lines = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return ['---', ...lines, '---', prompt, ''].join('\n')
}

/** The codes of problems. */
export function codes(problems: readonly { readonly code: string }[]): readonly string[] {
  return problems.map((problem) => problem.code)
}
