import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorMessage } from '@troupe/schema'
import { readSkill } from './read-skill.ts'
import type { Skill, SkillProblem } from './skill.ts'

const FILE = 'SKILL.md'
const MAX_SKILLS = 100

/** The skills of an agent and the problems found while loading them. */
export interface LoadedSkills {
  readonly skills: readonly Skill[]
  readonly problems: readonly SkillProblem[]
}

/**
 * Loads the skills listed in a card. Each entry is a folder relative to the card's, either a skill or a
 * folder of skills. A folder without skills is an error; a broken skill is left out with a warning. Never
 * throws.
 */
export function loadSkills(entries: readonly string[], cardFolder: string): LoadedSkills {
  const skills = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  for (const [entry, written] of entries.entries()) {
    const found = skillFolders(resolve(cardFolder, written))
    if (typeof found === 'string') {
      problems.push({ severity: 'error', entry, message: `skills: "${written}" ${found}.` })
      continue
    }
    for (const folder of found) {
      const read = readSkill(folder, join(folder, FILE))
      problems.push(...read.problems.map((problem) => ({ ...problem, entry })))
      if (read.skill === undefined) continue
      const refusal = skillConflict(read.skill, skills)
      if (refusal === undefined) skills.set(read.skill.name, read.skill)
      else problems.push({ severity: 'warning', entry, file: join(folder, FILE), message: refusal })
    }
  }
  return { skills: [...skills.values()], problems }
}

function skillConflict({ name }: Skill, skills: ReadonlyMap<string, Skill>): string | undefined {
  const other = skills.get(name)
  if (other !== undefined) return `A skill "${name}" is there already: ${other.folder}. This one is left out.`
  return skills.size >= MAX_SKILLS
    ? `There are more than ${MAX_SKILLS} skills; "${name}" is left out.`
    : undefined
}

/**
 * Returns the folder if it contains a SKILL.md, else its direct subfolders that do, or a message if there are
 * none.
 */
function skillFolders(folder: string): readonly string[] | string {
  try {
    if (!statSync(folder).isDirectory()) return 'is no folder'
    if (existsSync(join(folder, FILE))) return [folder]
    const subfolders = readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name))
      .filter((path) => existsSync(join(path, FILE)))
    return subfolders.length > 0 ? subfolders : `holds no ${FILE}, and no folder in it does`
  } catch (thrown) {
    return `cannot be read: ${errorMessage(thrown)}`
  }
}
