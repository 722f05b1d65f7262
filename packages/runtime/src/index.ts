export { createRuntime, type Runtime, type RuntimeOptions } from './create-runtime.ts'
export type { TeamFiles } from './filesystem/team-files.ts'
export { loadSkills, type LoadedSkills } from './skills/load-skills.ts'
export type { Skill, SkillProblem } from './skills/skill.ts'
