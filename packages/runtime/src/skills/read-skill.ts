import { basename } from 'node:path'
import { readMarkdown, type MarkdownFile } from '@troupe/cards'
import { visibleText } from '@troupe/schema'
import type { Skill, SkillProblem } from './skill.ts'

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
const RULE = `lower-case letters, digits and single hyphens, ${MAX_NAME} at most`

type SkillFileProblem = Omit<SkillProblem, 'entry'>

/**
 * Reads the front matter of a SKILL.md. Without `name` the skill is named after its folder. Returns no skill
 * if a problem makes it unusable.
 */
export function readSkill(
  folder: string,
  file: string,
): { readonly skill?: Skill; readonly problems: readonly SkillFileProblem[] } {
  const read = readMarkdown(file)
  if ('problem' in read) {
    const { message, line, column } = read.problem
    return { problems: [leftOutProblem(message, { file, ...(line && column ? { line, column } : {}) })] }
  }
  const at = (key: string): Omit<SkillFileProblem, 'severity' | 'message'> => ({
    file,
    ...keyPosition(read, key),
  })
  const { name: written = basename(folder), description } = read.fields
  const name = typeof written === 'string' ? plainName(written) : ''
  if (name.length > MAX_NAME || !NAME.test(name))
    return {
      problems: [
        leftOutProblem(`name: ${JSON.stringify(written)} is no name of a skill (${RULE}).`, at('name')),
      ],
    }
  if (typeof description !== 'string' || description.trim() === '') {
    return {
      problems: [
        leftOutProblem('description: a text that says when the skill helps is missing.', at('description')),
      ],
    }
  }
  const clean = visibleText(description.replaceAll(/\s+/gu, ' ').trim())
  const text = clean.text.slice(0, MAX_DESCRIPTION)
  const remark = text.length < clean.text.length ? `was cut to ${MAX_DESCRIPTION} characters` : clean.remark
  const warn = (message: string, key: string): SkillFileProblem => ({
    severity: 'warning',
    message,
    ...at(key),
  })
  const problems = [
    ...(name === written
      ? []
      : [warn(`name: ${JSON.stringify(written)} is called ${name} here (${RULE}).`, 'name')]),
    ...(remark === undefined ? [] : [warn(`description: The text ${remark}.`, 'description')]),
  ]
  return { skill: { name, description: text, folder }, problems }
}

/** Converts a name such as `Fill Forms` to a skill name. */
function plainName(written: string): string {
  return written.toLowerCase().replaceAll(/[ _]/gu, '-')
}

function leftOutProblem(
  message: string,
  position: Omit<SkillFileProblem, 'severity' | 'message'>,
): SkillFileProblem {
  return { severity: 'warning', message: `${message} The skill is left out.`, ...position }
}

/** Returns the position of a key, or the start of the file if it is missing. */
function keyPosition(read: MarkdownFile, key: string): { readonly line: number; readonly column: number } {
  const { line, column } = read.positionOf([key]) ?? { line: 1, column: 1 }
  return { line, column }
}
