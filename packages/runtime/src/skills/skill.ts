/** A folder with a SKILL.md, which a model reads on demand. */
export interface Skill {
  /** Lower-case letters, digits and single hyphens. */
  readonly name: string
  /** A single line without invisible characters, because it goes into the system prompt. */
  readonly description: string
  /** Absolute path. */
  readonly folder: string
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
