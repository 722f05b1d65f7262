import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { citationPattern, type TestOutcome, type TestSession } from './test-session.ts'

/** An error of the type checker. */
interface TypeError {
  /** From the root of the checkout. */
  readonly file: string
  readonly line: number
  readonly message: string
}

/**
 * Opens a session in which the type checker decides: a test fails if the checker reports an error in it, for instance
 * because a `@ts-expect-error` has become unnecessary.
 */
export async function openTypeSession(root: string): Promise<TestSession> {
  return {
    async run(files, ids) {
      const errors = await typeErrors(root, files)
      const tests = await Promise.all(files.map((file) => outcomesOf(root, file, errors)))
      const elsewhere = errors.filter(({ file }) => !files.includes(file))
      return {
        tests: tests.flat().filter(({ title }) => citationPattern(ids).test(title)),
        errors: elsewhere.map(({ file, message }) => `${file}: ${message}`),
      }
    },
    invalidate: () => undefined,
    close: () => Promise.resolve(),
  }
}

/** Checks a program that consists of the given files and what they import. */
async function typeErrors(root: string, files: readonly string[]): Promise<readonly TypeError[]> {
  const config = join(root, 'tsconfig.mutants.json')
  await writeFile(
    config,
    JSON.stringify({ extends: './tools/requirements/tsconfig.json', include: [], files }),
  )
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const { stdout, stderr, error } = spawnSync(tsc, ['-p', config, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (error !== undefined) throw error
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => /\berror TS\d+:/u.test(line))
  return lines.map((line) => {
    const [, file = 'tsconfig.json', at = '0', message = line] =
      /^([^()]+)\((\d+),\d+\): error (.*)$/u.exec(line) ?? []
    return { file, line: Number(at), message }
  })
}

/** The tests of a file that cite ids. An error belongs to the test that begins before it. */
async function outcomesOf(
  root: string,
  file: string,
  errors: readonly TypeError[],
): Promise<readonly TestOutcome[]> {
  const tests: { title: string; state: 'passed' | 'failed' }[] = []
  const failedLines = new Set(errors.filter((error) => error.file === file).map(({ line }) => line))
  for (const [index, line] of (await readFile(join(root, file), 'utf8')).split('\n').entries()) {
    const [, ids] = /\bverifies\(([^()]*)\)/u.exec(line) ?? []
    if (ids !== undefined) tests.push({ title: titleOf(line, ids), state: 'passed' })
    const test = tests.at(-1)
    if (test !== undefined && failedLines.has(index + 1)) test.state = 'failed'
  }
  return tests.map((test) => ({ ...test, file }))
}

function titleOf(line: string, ids: string): string {
  const cited = ids.replaceAll(/['",\s]+/gu, ' ').trim()
  return `${/`([^`$]*)\$/u.exec(line)?.[1]?.trim() ?? line.trim()} [${cited}]`
}
