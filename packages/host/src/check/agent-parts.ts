import { agentTool, handoffTool } from '@troupe/registry'
import { loadSkills, type Skill, type SkillProblem } from '@troupe/runtime'
import type { AgentDefinition, ToolDefinition } from '@troupe/schema'
import type { Guard, Guards } from '@troupe/schema/ports'
import type { LoadedGuard } from '@troupe/tools'
import type { AgentCode, LoadedGuards } from '../code/load-code.ts'
import { planError, planWarning, type PlanProblem } from '../config/plan-problem.ts'
import type { Team, TeamMember } from '../team/collect-team.ts'
import type { ToolCandidate } from '../tools/assign-wire-names.ts'
import { providerTools } from '../tools/provider-tools.ts'

/** Tools, hooks and modules of an agent, loaded once at startup and shared by all runs. */
export interface AgentParts extends Omit<AgentCode, 'guards'> {
  /** Absent if the agent has no guards. */
  readonly guards?: Guards
  /** Function tools, then runtime tools, tools of the provider, and child agents. */
  readonly tools: readonly ToolCandidate[]
}

/** Combines the loaded code of an agent with its runtime tools and the tools for its children. */
export function agentParts(
  member: TeamMember,
  options: {
    readonly code: AgentCode
    readonly children: readonly AgentDefinition[]
    readonly runtimeTools: readonly ToolDefinition[]
    /** Added to the system prompt of an agent with children. */
    readonly hint?: string | undefined
  },
): AgentParts {
  const { definition, card, namesByReference } = member
  const { functionTools, hooks, loopHooks, modules, guards } = options.code
  const childrenNamed = (references: AgentDefinition['agents']): readonly AgentDefinition[] => {
    const names = new Set(references.flatMap((reference) => namesByReference.get(reference) ?? []))
    return options.children.filter(({ name }) => names.has(name))
  }
  const code = {
    hooks,
    loopHooks,
    modules,
    ...(guards === undefined ? {} : { guards: bindGuards(guards, childrenNamed) }),
  }
  // A composition calls agents, not tools.
  if (definition.type !== 'agent') return { ...code, functionTools: [], tools: [] }
  const handoff = handoffTool(childrenNamed(definition.composition.handoffs ?? []))
  const tools = [
    ...functionTools.map((tool) => offerFunction(tool, card.path)),
    ...options.runtimeTools.map(offerRuntime),
    ...providerTools(definition).map(offerProvider),
    ...childrenNamed(definition.agents).map((child) => offerChild(child, member, options.hint)),
    ...(handoff === undefined ? [] : [offerRuntime(handoff)]),
  ]
  return { ...code, functionTools, tools }
}

/** Finds the agents of guards. A guard whose agent is missing denies everything. */
function bindGuards(
  loaded: LoadedGuards,
  childrenNamed: (references: readonly string[]) => readonly AgentDefinition[],
): Guards {
  const bind = (guard: LoadedGuard): Guard => {
    if (guard.kind !== 'agent') return guard
    const { name, action, reference } = guard
    const [agent, ...others] = childrenNamed([reference])
    if (agent !== undefined && others.length === 0)
      return { kind: 'agent', name, action, agent: { name: agent.name, digest: agent.digest } }
    const check = (): never => {
      throw new Error(`"${reference}" does not name one agent`)
    }
    return { kind: 'function', name, action: 'deny', check }
  }
  const { input, output, toolCall, toolResult } = loaded
  return {
    input: input.map(bind),
    output: output.map(bind),
    toolCall: toolCall.map(bind),
    toolResult: toolResult.map(bind),
  }
}

function offerFunction(tool: ToolDefinition, path: string): ToolCandidate {
  return { tool, written: tool.name, from: `the function ${tool.name} of ${path}` }
}

function offerRuntime(tool: ToolDefinition): ToolCandidate {
  return { tool, written: tool.wireName, from: `the runtime tool ${tool.name}` }
}

function offerProvider(tool: ToolDefinition): ToolCandidate {
  return { tool, from: `the tool ${tool.wireName} of the provider` }
}

/** Returns how the parent wants to offer the child, from the first entry of `agents` that refers to it. */
function childSettings(
  { name }: AgentDefinition,
  { definition, namesByReference }: TeamMember,
): AgentDefinition['agentTools'][string] {
  const [, settings = {}] =
    Object.entries(definition.agentTools).find(
      ([reference]) => namesByReference.get(reference)?.includes(name) === true,
    ) ?? []
  return settings
}

function offerChild(child: AgentDefinition, parent: TeamMember, hint: string | undefined): ToolCandidate {
  const settings = childSettings(child, parent)
  const own = agentTool(child, settings, parent.definition.input)
  const tool = hint === undefined ? own : { ...own, instructions: hint }
  return {
    tool,
    written: settings.name ?? child.toolName ?? tool.name,
    from: `the agent ${child.name} of ${child.source.path}`,
  }
}

/** The skills of an agent and their problems, located in the card or in the skill. */
export interface AgentSkills {
  readonly skills: readonly Skill[]
  readonly problems: readonly PlanProblem[]
}

/** Result for an agent that names no skills. */
export const NO_SKILLS: AgentSkills = { skills: [], problems: [] }

/** Loads the skills of all agents that name some, by agent name. */
export function loadSkillsOf({ members }: Team): ReadonlyMap<string, AgentSkills> {
  const withSkills = [...members].filter(([, { definition }]) => definition.skills.length > 0)
  return new Map(withSkills.map(([name, member]) => [name, agentSkills(member)]))
}

function agentSkills(member: TeamMember): AgentSkills {
  const { definition, card } = member
  const { skills, problems } = loadSkills(definition.skills, card.folder)
  return { skills, problems: problems.map((problem) => toPlanProblem(problem, member)) }
}

function toPlanProblem(problem: SkillProblem, { definition, card }: TeamMember): PlanProblem {
  const { severity, message, file, line, column, entry } = problem
  const inSkill = { file: file ?? card.path, ...(line && column ? { line, column } : {}) }
  const location = file === undefined ? { file: card.path, ...card.positionOf?.(['skills', entry]) } : inSkill
  const toProblem = severity === 'error' && card.toleratesMissingParts !== true ? planError : planWarning
  return toProblem('skill_invalid', message, { ...location, agent: definition.name })
}
