import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MutantList } from './mutants/mutant.ts'
import type { Requirement } from './requirement.ts'
import { replaceTable, statusDetails, statusSummary } from './status-table.ts'

/** The root of the repository. */
export const ROOT: string = join(import.meta.dirname, '..', '..', '..')

/** A README that holds a status table: its text now, and the text it should have. */
export interface ReadmeFile {
  readonly path: string
  readonly text: string
  readonly wanted: string
}

/** Returns every README that has markers for a status table. */
export async function readmeFiles(
  requirements: readonly Requirement[],
  mutants: MutantList,
): Promise<readonly ReadmeFile[]> {
  const summary = statusSummary(requirements, mutants)
  const contents = new Map([
    [join(ROOT, 'README.md'), summary],
    [
      join(ROOT, 'tools', 'requirements', 'README.md'),
      `${summary}\n\n${statusDetails(requirements, mutants)}`,
    ],
  ])
  const files: ReadmeFile[] = []
  for (const [path, content] of contents) {
    const text = await textOf(path)
    const wanted = replaceTable(text, content)
    if (wanted !== undefined) files.push({ path, text, wanted })
  }
  return files
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    // a repository without the file has no table to keep
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw thrown
  }
}
