import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readYamlObject, type CardPosition, type CardProblem } from '@troupe/cards'
import { errorMessage } from '@troupe/schema'
import type { EvalFile } from './eval-case.ts'
import { parseCaseFile } from './parse-case-file.ts'

const CASE_FILE = /\.eval\.ya?ml$/u
const MAX_BYTES = 1024 * 1024

/** The case files at a path, and everything that is wrong with them. */
export interface CaseFiles {
  readonly files: readonly EvalFile[]
  readonly problems: readonly CardProblem[]
}

/**
 * Reads a case file, or all `*.eval.yaml` files of a folder. Never throws: a file with problems is left out, and
 * each problem has its position.
 */
export function readCases(path: string, cwd: string): CaseFiles {
  const found = findCaseFiles(resolve(cwd, path))
  if ('problem' in found) return { files: [], problems: [found.problem] }
  const read = found.paths.map(readCaseFile)
  const files = read.flatMap(({ file }) => file ?? [])
  return { files, problems: [...read.flatMap(({ problems }) => problems), ...repeatedIds(read)] }
}

type CaseFileResult = ReturnType<typeof parseCaseFile>

function readCaseFile(path: string): CaseFileResult {
  let text: string
  try {
    if (statSync(path).size > MAX_BYTES) return failed(path, 'the file is larger than 1 MiB')
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    return failed(path, errorMessage(thrown))
  }
  const yaml = readYamlObject(text)
  if ('message' in yaml) return failed(path, yaml.message, yaml.position)
  return parseCaseFile({ path, folder: dirname(path), ...yaml })
}

function failed(path: string, message: string, position?: CardPosition): CaseFileResult {
  return { positions: new Map(), problems: [caseProblem(path, message, position)] }
}

function findCaseFiles(
  path: string,
): { readonly paths: readonly string[] } | { readonly problem: CardProblem } {
  try {
    if (!statSync(path).isDirectory()) return { paths: [path] }
    const names = readdirSync(path).filter((name) => CASE_FILE.test(name))
    if (names.length > 0) return { paths: names.toSorted().map((name) => join(path, name)) }
    return { problem: caseProblem(path, 'the folder has no file whose name ends with `.eval.yaml`') }
  } catch (thrown) {
    return { problem: caseProblem(path, errorMessage(thrown)) }
  }
}

/** Reports ids that several files use. Those of one file are reported with it. */
function repeatedIds(read: readonly CaseFileResult[]): readonly CardProblem[] {
  const known = new Map<string, string>()
  const problems: CardProblem[] = []
  for (const { file, positions } of read) {
    if (file === undefined) continue
    for (const { id } of file.cases) {
      const other = known.get(id)
      if (other !== undefined)
        problems.push(
          caseProblem(
            file.path,
            `the case \`${id}\` is also in ${other}; ids must be unique`,
            positions.get(id),
          ),
        )
      known.set(id, file.path)
    }
  }
  return problems
}

/** Creates a problem of a case file. */
export function caseProblem(file: string, message: string, position?: CardPosition): CardProblem {
  return { severity: 'error', code: 'eval_invalid', message, file, ...position }
}
