export { leadAndClerks, oneAgent, toModelIds, type ScriptedTeam } from './scripted-team.ts'
export { SYSTEM_CLOCK } from '../clock/fake-clock.ts'
