export { leadAndClerks } from './lead-and-clerks.ts'
export { oneAgent } from './one-agent.ts'
export { toModelIds, type ScriptedTeam } from './scripted-team.ts'
export { SYSTEM_CLOCK } from './system-clock.ts'
