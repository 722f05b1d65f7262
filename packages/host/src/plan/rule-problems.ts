import { join } from 'node:path'
import { ruleReach } from '@troupe/core'
import type { ArgumentRule, ToolDefinition } from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import { effectivePermission } from '../prepare/effective-permission.ts'
import type { KnownTools } from './known-tools.ts'
import { planWarning } from './plan-problem.ts'
import type { PlanProblem } from './plan-types.ts'

/**
 * Warns about deny rules that forbid more calls than they name, and about rules that the shell of the agent
 * can bypass.
 */
export function ruleProblems(agent: CheckedAgent, { tools }: KnownTools): readonly PlanProblem[] {
  const { definition } = agent.member
  const rules = locateRules(agent)
  if (rules.length === 0) return []
  const { ofTool } = effectivePermission(definition, [])
  const open = tools.filter((tool) => ofTool(tool) !== 'deny')
  return [
    ...rules.flatMap((rule) => tools.flatMap((tool) => deniedWholly(rule, tool))),
    ...open.flatMap((tool) => deniedBeyond(rules, tool)),
    ...gotAround(rules, open),
  ]
}

/** A deny rule for some calls, with its source location. */
interface LocatedRule {
  readonly rule: ArgumentRule
  readonly at: Pick<PlanProblem, 'file' | 'line' | 'column' | 'agent'>
}

function locateRules({ member: { definition, card } }: CheckedAgent): readonly LocatedRule[] {
  return definition.permissions.deny.flatMap((rule, index) => {
    if (typeof rule === 'string') return []
    const agent = definition.name
    const { path = rule.source, line } = /^(?<path>.*):(?<line>\d+)$/u.exec(rule.source ?? '')?.groups ?? {}
    if (path !== undefined)
      return [{ rule, at: { agent, file: join(card.folder, path), line: Number(line ?? 1) } }]
    return [{ rule, at: { agent, file: card.path, ...card.positionOf?.(['permissions', 'deny', index]) } }]
  })
}

function deniedWholly({ rule, at }: LocatedRule, tool: ToolDefinition): readonly PlanProblem[] {
  if (ruleReach(rule, tool) !== 'every-call') return []
  const message = `${shown(rule)}: ${tool.name} has no argument \`${rule.argument}\`, so the rule denies every call of it.`
  return [planWarning('permission_rule_widened', message, at)]
}

/** Returns one warning for all rules of a tool, since they all deny the same calls beyond their patterns. */
function deniedBeyond(rules: readonly LocatedRule[], tool: ToolDefinition): readonly PlanProblem[] {
  const concerned = rules.filter(({ rule }) => beyond(rule, tool) !== undefined)
  const [first] = concerned
  if (first === undefined) return []
  const others = concerned.length === 1 ? '' : ` and ${concerned.length - 1} more`
  const message = `${shown(first.rule)}${others}: ${tool.name} also denies ${beyond(first.rule, tool)}.`
  return [planWarning('permission_rule_widened', message, first.at)]
}

const COMMANDS =
  'what cannot be compared with a rule: shells, interpreters and wrappers (sh, python, env, sudo, find, ssh, …), commands with shell syntax, and commands with `stdin`'

function beyond(rule: ArgumentRule, tool: ToolDefinition): string | undefined {
  const kind = ruleReach(rule, tool)
  if (rule.pattern === '*') return undefined
  if (kind === 'command') return COMMANDS
  const argument = kind === 'path' ? tool.ruleArguments?.[rule.argument] : undefined
  return argument?.kind === 'path' && argument.readsFolders === true ? 'whole folders' : undefined
}

/** Warns if the agent has a shell, since a command can access files that the rules for file tools deny. */
function gotAround(rules: readonly LocatedRule[], tools: readonly ToolDefinition[]): readonly PlanProblem[] {
  const shell = tools.find(({ ruleArguments = {} }) =>
    Object.values(ruleArguments).some(({ kind }) => kind === 'command'),
  )
  const first = rules.find(({ rule }) => tools.some((tool) => ruleReach(rule, tool) === 'path'))
  if (shell === undefined || first === undefined) return []
  const message = `${shown(first.rule)}: ${shell.name} can reach the files that the rule denies to ${first.rule.tool}.`
  return [planWarning('permission_rule_bypassed', message, first.at)]
}

function shown({ argument, pattern }: ArgumentRule): string {
  return `permissions.deny (${argument}: ${JSON.stringify(pattern)})`
}
