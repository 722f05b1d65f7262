import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The part of a V8 coverage report that is read here. */
interface CoverageReport {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/**
 * Runs the team of the README from the sources and returns the source files in which at least one function was called, from the root of
 * the repository. Files that were only loaded do not count.
 *
 * @throws if the run fails
 */
export function filesExecutedByTeamRun(root: string): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-structure-'))
  try {
    const question = 'What time is it in New York and London?'
    const args = ['run', 'examples/new-york-london', question, '--store', path.join(folder, 'runs.db')]
    const run = spawnSync(
      process.execPath,
      ['--conditions=@troupe/source', path.join(root, 'apps/cli/src/bin.ts'), ...args],
      { cwd: root, env: { ...process.env, NODE_V8_COVERAGE: folder }, encoding: 'utf8' },
    )
    if (run.status !== 0) throw new Error(`The run of the team failed: ${run.stderr}`)
    const files = globSync('*.json', { cwd: folder }).flatMap((name) =>
      executedFiles(root, JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as CoverageReport),
    )
    return [...new Set(files)].toSorted()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function executedFiles(root: string, { result }: CoverageReport): readonly string[] {
  return result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
    )
    .flatMap(({ url }) => (url.startsWith('file:') ? [path.relative(root, fileURLToPath(url))] : []))
    .filter((file) => /^(?:packages|apps)\/[\w-]+\/src\//u.test(file))
}
