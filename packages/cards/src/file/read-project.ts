import { errorMessage, type JsonObject } from '@troupe/schema'
import { basename, dirname, relative, sep } from 'node:path'
import { parseEnv } from 'node:util'
import type { ProblemDraft } from '../card/problem.ts'
import type { ParseOptions, ProjectSettings } from '../formats/card-format.ts'
import { syntaxOf } from './card-syntax.ts'
import { readCardText } from './card-text.ts'

/** The settings of a project, and a problem for each file that could not be read. */
interface ProjectReadResult {
  readonly project: readonly ProjectSettings[]
  readonly problems: readonly ProblemDraft[]
}

/** Reads the project files whose rules apply to a card. Missing files are fine; broken ones are errors. */
export function readProject(
  files: readonly string[],
  { path, readProjectFile, formats }: Pick<ParseOptions, 'path' | 'readProjectFile' | 'formats'>,
): ProjectReadResult {
  const project: ProjectSettings[] = []
  const problems: ProblemDraft[] = []
  for (const file of readProjectFile === undefined ? [] : files) {
    try {
      const text = readProjectFile?.(file)
      const read = text === undefined ? undefined : readSettings(text, { file, card: path, formats })
      if (read !== undefined && 'code' in read) problems.push(read)
      else if (read !== undefined) project.push(read)
    } catch (thrown) {
      problems.push(unreadable(file, errorMessage(thrown)))
    }
  }
  return { project, problems }
}

function readSettings(
  text: string,
  {
    file,
    card,
    formats,
  }: { readonly file: string; readonly card: string; readonly formats: ParseOptions['formats'] },
): ProjectSettings | ProblemDraft {
  const read = basename(file) === '.env' ? readEnv(text) : readCardText(text, syntaxOf(file), formats)
  if ('problem' in read) return { ...read.problem, place: { file, ...read.position } }
  const name = relative(dirname(card), file).replaceAll(sep, '/')
  return { label: name, name, file, fields: read.fields, positionOf: read.positionOf }
}

/** Reads an env file, whose variables become keys. */
function readEnv(text: string): Pick<ProjectSettings, 'fields' | 'positionOf'> {
  return { fields: { ...parseEnv(text) } as JsonObject, positionOf: () => undefined }
}

function unreadable(file: string, why: string): ProblemDraft {
  const message = `The rules of the project cannot be read: ${why}`
  return { code: 'card_unreadable', message, place: { file } }
}
