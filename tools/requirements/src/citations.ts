import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The requirement ids that the tests of the repository cite. */
export interface Citations {
  /** The files that cite each id. */
  readonly files: ReadonlyMap<string, readonly string[]>
  /** Calls of `verifies` that the scan cannot read, and citations in tests that do not run. */
  readonly problems: readonly string[]
}

const FOLDERS = ['packages', 'apps', 'examples', 'tools/requirements', 'tools/browser-tests']
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage'])

/** Reads every `verifies(…)` in the test sources below `root`: `*.test.ts`, `*.test.tsx` and the contract suites of the test kit. */
export async function collectCitations(root: string): Promise<Citations> {
  const files = new Map<string, string[]>()
  const problems: string[] = []
  for (const folder of FOLDERS) {
    for (const path of await testFiles(join(root, folder))) {
      const file = relative(root, path).replaceAll(sep, '/')
      const found = citationsOf(await readFile(path, 'utf8'))
      for (const id of found.ids) files.set(id, [...(files.get(id) ?? []), file])
      problems.push(...found.problems.map((problem) => `${file}: ${problem}`))
    }
  }
  return { files, problems }
}

/** Returns the ids that a source text cites, each once, in order. */
export function citationsOf(source: string): {
  readonly ids: readonly string[]
  readonly problems: readonly string[]
} {
  const ids = new Set<string>()
  const problems: string[] = []
  for (const [call, list = ''] of source.matchAll(/\bverifies\(([^()]*)\)/gu)) {
    const literals = [...list.matchAll(/(['"])([^'"]*)\1/gu)]
    const rest = list.replaceAll(/(['"])[^'"]*\1/gu, '').replaceAll(/[\s,]/gu, '')
    if (literals.length === 0 || rest !== '') problems.push(`${call}: give the ids as literals`)
    for (const [, , id = ''] of literals) ids.add(id)
  }
  for (const [test] of source.matchAll(/\.(?:skip|todo|fails)\(\s*`[^`]*\bverifies\(/gu)) {
    problems.push(`${test.replaceAll(/\s+/gu, ' ')}…: a test that does not run proves nothing`)
  }
  return { ids: [...ids], problems }
}

async function testFiles(folder: string): Promise<readonly string[]> {
  const paths: string[] = []
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) paths.push(...(await testFiles(path)))
    if (entry.isFile() && isTest(path)) paths.push(path)
  }
  return paths.toSorted()
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (thrown) {
    // a folder that the repository does not have yet
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/u.test(path) || /testkit.src.contracts.[^/\\]+\.ts$/u.test(path)
}
