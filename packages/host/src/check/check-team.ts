import { resolve } from 'node:path'
import type { Runtime } from '@troupe/runtime'
import { getOwn, type ToolDefinition } from '@troupe/schema'
import { NO_CODE, type LoadedCode } from '../code/load-code.ts'
import type { ConfiguredModels } from '../config/configured-models.ts'
import type { Environments } from '../config/environments.ts'
import type { HostOptions } from '../config/host-options.ts'
import { planWarning, type PlanProblem } from '../config/plan-problem.ts'
import type { LoadedConfig } from '../config/read-config.ts'
import type { Team, TeamMember } from '../team/collect-team.ts'
import type { TeamEntry } from '../team/find-entry.ts'
import type { UncheckedTeam } from '../team/read-team.ts'
import { NO_SKILLS, type AgentSkills } from './agent-parts.ts'
import { checkAgent, type CheckedAgent } from './check-agent.ts'
import { NO_INPUT_PROBLEMS, type InputProblem } from './input-problems.ts'
import type { ModelChecks } from './model-checks.ts'
import type { TeamTriggers } from './team-triggers.ts'

/** Everything loaded for a team that its agents are checked with. */
export interface TeamParts {
  readonly options: HostOptions
  readonly config: LoadedConfig
  readonly environments: Environments
  readonly runtime: Runtime
  readonly checkModel: ModelChecks
  /** By agent name; only agents that have code. */
  readonly codes: ReadonlyMap<string, LoadedCode>
  readonly skills: ReadonlyMap<string, AgentSkills>
  readonly inputProblems: ReadonlyMap<string, readonly InputProblem[]>
  readonly triggers: TeamTriggers
}

/** A change applied to a team that was already checked. */
interface TeamChange {
  readonly before: { readonly team: Team; readonly agents: ReadonlyMap<string, CheckedAgent> }
  /** Replaces the models of all cards. */
  readonly model: string | undefined
}

/**
 * Checks every agent of a team and returns them by name. After a change, only changed agents and their
 * callers are checked again.
 */
export function checkTeam(
  { team, entry, settingsIn }: UncheckedTeam,
  parts: TeamParts,
  change?: TeamChange,
): ReadonlyMap<string, CheckedAgent> {
  const { options, config, environments, runtime, checkModel, codes, skills, inputProblems } = parts
  const { members } = team
  const called = calledAgents(team)
  const calledBefore = change === undefined ? called : calledAgents(change.before.team)
  const chosenFolder =
    change?.model === undefined
      ? undefined
      : folderOfModel(change.model, {
          team,
          folder: config.folder,
          settings: settingsIn(config.folder),
          cwd: resolve(options.cwd),
        })
  const check = (member: TeamMember, name: string): CheckedAgent => {
    const origin = chosenFolder === undefined ? modelOrigin(member, { options, entry }) : 'option'
    return checkAgent(member, {
      config,
      environment: environments.of(member.card.folder, member.card.envFiles),
      modelFolder: chosenFolder ?? modelFolder(member, origin, { options, config }),
      startsWithoutCaller: !called.has(name) || isEntry(member, entry),
      isDefaultModel: origin === 'configuration',
      models: options.models ?? {},
      checkModel,
      runtime,
      tools: (getOwn(options.tools ?? {}, name) ?? []).map(toBuiltIn),
      code: codes.get(name) ?? NO_CODE,
      skills: skills.get(name) ?? NO_SKILLS,
      inputProblems: inputProblems.get(name) ?? NO_INPUT_PROBLEMS,
      children: member.children.flatMap((child) => members.get(child)?.definition ?? []),
    })
  }
  return new Map(
    [...members].map(([name, member]) => {
      const before =
        called.has(name) === calledBefore.has(name) ? checkedBefore(member, team, change) : undefined
      return [name, before ?? check(member, name)]
    }),
  )
}

/** Returns the names of the agents that another agent of the team calls. */
function calledAgents({ members }: Team): ReadonlySet<string> {
  return new Set([...members.values()].flatMap(({ children }) => children))
}

function isEntry({ card }: TeamMember, entry: TeamEntry): boolean {
  return 'name' in entry && entry.name === card.definition?.name
}

/** Returns a warning for each agent that cannot get the tools that the app has for it. */
export function appToolProblems({ members }: Team, tools: HostOptions['tools']): readonly PlanProblem[] {
  return Object.keys(tools ?? {}).flatMap((agent) => {
    const member = members.get(agent)
    if (member === undefined)
      return planWarning('agent_unknown', `The option \`tools\` names "${agent}", which is not in the team.`)
    if (member.card.address === undefined) return []
    const message = `The option \`tools\` names "${agent}", but a remote card never runs code on this machine.`
    return planWarning('remote_card_forbidden', message, { agent })
  })
}

/** Makes a tool of the app a built-in one, so that hooks and rules can tell it from functions of cards. */
function toBuiltIn(tool: ToolDefinition): ToolDefinition {
  return { ...tool, source: 'runtime', server: 'runtime' }
}

/** Returns the earlier result if neither the agent nor any of its children changed. */
function checkedBefore(
  { definition, children }: TeamMember,
  { members }: Team,
  change: TeamChange | undefined,
): CheckedAgent | undefined {
  const isSame = (name: string): boolean => members.get(name) === change?.before.team.members.get(name)
  return [definition.name, ...children].every(isSame) ? change?.before.agents.get(definition.name) : undefined
}

/**
 * Returns the folder for a model that a run requests instead of those of the cards: the folder of the
 * configuration or card that names it, else `cwd`.
 */
function folderOfModel(
  id: string,
  {
    team,
    folder,
    settings,
    cwd,
  }: {
    readonly team: Team
    /** Folder of the configuration. */
    readonly folder: string
    readonly settings: ConfiguredModels
    readonly cwd: string
  },
): string {
  if (Object.hasOwn(settings.aliases, id) || settings.model?.includes(id) === true) return folder
  const cards = [...team.members.values()].map(({ card }) => card)
  return cards.find(({ definition }) => definition?.model.includes(id))?.folder ?? cwd
}

/** Source of the model of an agent. */
type ModelOrigin = 'option' | 'card' | 'configuration'

/** Returns where the model of an agent is set; `configuration` also if it is set nowhere. */
function modelOrigin(
  member: TeamMember,
  { options, entry }: { readonly options: HostOptions; readonly entry: TeamEntry },
): ModelOrigin {
  const { card } = member
  if (options.model !== undefined || (isEntry(member, entry) && Object.hasOwn(options.set ?? {}, 'model')))
    return 'option'
  return (card.definition?.model.length ?? 0) > 0 ? 'card' : 'configuration'
}

/** Returns the folder against which script models resolve: the one of the source that names the model. */
function modelFolder(
  { card }: TeamMember,
  origin: ModelOrigin,
  { options, config }: { readonly options: HostOptions; readonly config: LoadedConfig },
): string {
  if (origin === 'option') return resolve(options.cwd)
  return origin === 'card' ? card.folder : config.folder
}
