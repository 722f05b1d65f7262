/** A skill: a folder with SKILL.md, which a model reads when it needs it. */
export interface Skill {
  /** Lower-case letters, digits and single hyphens. */
  readonly name: string
  /** One line without invisible characters: it goes into the system prompt. */
  readonly description: string
  /** Absolute. */
  readonly folder: string
}

/** Something wrong with the skills of an agent. */
export interface SkillProblem {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** The file it is in; none: the card, at the entry of `skills` with this index. */
  readonly file?: string
  readonly entry: number
  /** From 1. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
}
