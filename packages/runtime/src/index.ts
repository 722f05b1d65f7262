export { createRuntime, type Runtime, type RuntimeOptions } from './create-runtime.ts'
export type { TeamFiles } from './filesystem/team-files.ts'
export { loadSkills, type LoadedSkills, type Skill, type SkillProblem } from './skills/load-skills.ts'
export { RUNTIME_TOOL_NAMES } from './tools/runtime-tool.ts'
