import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve, basename } from 'node:path'
import { errorMessage, type AgentDefinition } from '@troupe/schema'
import { visibleText } from '@troupe/schema/text'
import { readMarkdown, type MarkdownFile } from '@troupe/cards'

/** A folder with a SKILL.md, or a text of the card, which a model reads on demand. */
export interface Skill {
  /** Lower-case letters, digits and single hyphens. */
  readonly name: string
  /** A single line without invisible characters, because it goes into the system prompt. */
  readonly description: string
  /** Absolute path; `undefined` if the text is part of the card. */
  readonly folder?: string
  /** The text, if it is part of the card. */
  readonly text?: string
}

/** A problem with a skill of an agent. */
export interface SkillProblem {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** The file with the problem; `undefined` if it is in the card, at index `entry` of `skills`. */
  readonly file?: string
  readonly entry: number
  /** Counted from 1. */
  readonly line?: number
  /** Counted from 1. */
  readonly column?: number
}

const FILE = 'SKILL.md'
const MAX_SKILLS = 100

/** The skills of an agent and the problems found while loading them. */
export interface LoadedSkills {
  readonly skills: readonly Skill[]
  readonly problems: readonly SkillProblem[]
}

/**
 * Loads the skills listed in a card. Each entry is a folder relative to the card's, either a skill or a
 * folder of skills, or a skill with its text. A folder without skills is an error; a broken skill is left out
 * with a warning. Never throws.
 */
export function loadSkills(entries: AgentDefinition['skills'], cardFolder: string): LoadedSkills {
  const skills = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  const add = (read: ReadSkill, entry: number, file?: string): void => {
    problems.push(...read.problems.map((problem) => ({ ...problem, entry })))
    if (read.skill === undefined) return
    const message = skillConflict(read.skill, skills)
    if (message === undefined) skills.set(read.skill.name, read.skill)
    else problems.push({ severity: 'warning', entry, message, ...(file === undefined ? {} : { file }) })
  }
  for (const [entry, written] of entries.entries()) {
    if (typeof written !== 'string') {
      add(toSkill(written, { position: () => ({}), text: written.text }), entry)
      continue
    }
    const found = skillFolders(resolve(cardFolder, written))
    if (typeof found === 'string') {
      problems.push({ severity: 'error', entry, message: `skills: "${written}" ${found}.` })
      continue
    }
    for (const folder of found) add(readSkill(folder, join(folder, FILE)), entry, join(folder, FILE))
  }
  return { skills: [...skills.values()], problems }
}

function skillConflict({ name }: Skill, skills: ReadonlyMap<string, Skill>): string | undefined {
  const other = skills.get(name)
  if (other !== undefined)
    return `A skill "${name}" already exists: ${other.folder ?? 'in the card'}. This one was not loaded.`
  return skills.size >= MAX_SKILLS
    ? `There are more than ${MAX_SKILLS} skills; "${name}" was not loaded.`
    : undefined
}

/**
 * Returns the folder if it contains a SKILL.md, else its direct subfolders that do, or a message if there are
 * none.
 */
function skillFolders(folder: string): readonly string[] | string {
  try {
    if (!statSync(folder).isDirectory()) return 'is not a folder'
    if (existsSync(join(folder, FILE))) return [folder]
    const subfolders = readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(path, FILE)))
    return subfolders.length > 0 ? subfolders : `contains no ${FILE}, and neither do its subfolders`
  } catch (thrown) {
    return `cannot be read: ${errorMessage(thrown)}`
  }
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
const RULE = `lower-case letters, digits and single hyphens, at most ${MAX_NAME} characters`

type SkillFileProblem = Omit<SkillProblem, 'entry'>

/** A skill, unless a problem makes it unusable. */
interface ReadSkill {
  readonly skill?: Skill
  readonly problems: readonly SkillFileProblem[]
}

/** Reads the front matter of a SKILL.md. Without `name` the skill is named after its folder. */
function readSkill(folder: string, file: string): ReadSkill {
  const read = readMarkdown(file)
  if ('problem' in read) {
    const { message, line, column } = read.problem
    return { problems: [leftOutProblem(message, { file, ...(line && column ? { line, column } : {}) })] }
  }
  const { name = basename(folder), description } = read.fields
  const position = (key: string): SkillPosition => ({ file, ...keyPosition(read, key) })
  return toSkill({ name, description }, { position, folder })
}

/** The position of a problem with a skill; empty if the skill is part of the card. */
type SkillPosition = Omit<SkillFileProblem, 'severity' | 'message'>

/** Checks the name and the description of a skill. */
function toSkill(
  { name: written, description }: { readonly name: unknown; readonly description: unknown },
  { position, ...content }: { position(key: string): SkillPosition } & Pick<Skill, 'folder' | 'text'>,
): ReadSkill {
  const name = typeof written === 'string' ? plainName(written) : ''
  if (name.length > MAX_NAME || !NAME.test(name))
    return {
      problems: [
        leftOutProblem(
          `name: ${JSON.stringify(written)} is not a valid skill name (${RULE}).`,
          position('name'),
        ),
      ],
    }
  if (typeof description !== 'string' || description.trim() === '') {
    return {
      problems: [
        leftOutProblem('description: missing. Describe when the skill is useful.', position('description')),
      ],
    }
  }
  const clean = visibleText(description.replaceAll(/\s+/gu, ' ').trim())
  const text = clean.text.slice(0, MAX_DESCRIPTION)
  const remark =
    text.length < clean.text.length ? `was truncated to ${MAX_DESCRIPTION} characters` : clean.remark
  const warn = (message: string, key: string): SkillFileProblem => ({
    severity: 'warning',
    message,
    ...position(key),
  })
  const problems = [
    ...(name === written
      ? []
      : [warn(`name: ${JSON.stringify(written)} was changed to ${name} (${RULE}).`, 'name')]),
    ...(remark === undefined ? [] : [warn(`description: The text ${remark}.`, 'description')]),
  ]
  return { skill: { name, description: text, ...content }, problems }
}

/** Converts a name such as `Fill Forms` to a skill name. */
function plainName(written: string): string {
  return written.toLowerCase().replaceAll(/[ _]/gu, '-')
}

function leftOutProblem(message: string, position: SkillPosition): SkillFileProblem {
  return { severity: 'warning', message: `${message} The skill was not loaded.`, ...position }
}

/** Returns the position of a key, or the start of the file if it is missing. */
function keyPosition(read: MarkdownFile, key: string): { readonly line: number; readonly column: number } {
  const { line, column } = read.positionOf([key]) ?? { line: 1, column: 1 }
  return { line, column }
}
