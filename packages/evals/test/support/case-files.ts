import { tempProject, type TempProject } from '@troupe/testkit/internal'
import { onTestFinished } from 'vitest'
import { readCases, type EvalFile } from '../../src/index.ts'

/** Reads a case file with these lines from a folder that is removed after the test. */
export async function caseFile(
  text: string,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly file: EvalFile; readonly folder: TempProject }> {
  const folder = await tempProject({ 'a.eval.yaml': text, ...files })
  onTestFinished(() => folder.remove())
  const { files: read, problems } = readCases('a.eval.yaml', folder.path)
  const [file] = read
  if (file === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return { file, folder }
}
