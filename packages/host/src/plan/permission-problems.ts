import { join } from 'node:path'
import { ruleReach } from '@troupe/core'
import { RUNTIME_TOOL_NAMES } from '@troupe/runtime'
import { agentToolName, mcpToolName, type ArgumentRule, type ToolDefinition } from '@troupe/schema'
import picomatch from 'picomatch/posix.js'
import type { CheckedAgent } from '../check/check-agent.ts'
import { planError, planWarning, suggestionText, type PlanProblem } from '../config/plan-problem.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { mayMatchPrefix, type KnownTools } from './tool-problems.ts'

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
    ...rules.flatMap((rule) => tools.flatMap((tool) => everyCallProblems(rule, tool))),
    ...open.flatMap((tool) => widenedRuleProblems(rules, tool)),
    ...bypassProblems(rules, open),
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

function everyCallProblems({ rule, at }: LocatedRule, tool: ToolDefinition): readonly PlanProblem[] {
  if (ruleReach(rule, tool) !== 'every-call') return []
  const message = `${describeRule(rule)}: ${tool.name} has no argument \`${rule.argument}\`, so the rule denies every call to it.`
  return [planWarning('permission_rule_widened', message, at)]
}

/** Returns one warning for all rules of a tool, since they all deny the same calls beyond their patterns. */
function widenedRuleProblems(rules: readonly LocatedRule[], tool: ToolDefinition): readonly PlanProblem[] {
  const widened = rules.filter(({ rule }) => alsoDenied(rule, tool) !== undefined)
  const [first] = widened
  if (first === undefined) return []
  const others = widened.length === 1 ? '' : ` and ${widened.length - 1} more`
  const message = `${describeRule(first.rule)}${others}: ${tool.name} also denies ${alsoDenied(first.rule, tool)}.`
  return [planWarning('permission_rule_widened', message, first.at)]
}

const UNCOMPARABLE_COMMANDS =
  'everything that cannot be compared with a rule: shells, interpreters and wrappers (sh, python, env, sudo, find, ssh, …), commands with shell syntax, and commands with `stdin`'

function alsoDenied(rule: ArgumentRule, tool: ToolDefinition): string | undefined {
  const kind = ruleReach(rule, tool)
  if (rule.pattern === '*') return undefined
  if (kind === 'command') return UNCOMPARABLE_COMMANDS
  const argument = kind === 'path' ? tool.ruleArguments?.[rule.argument] : undefined
  return argument?.kind === 'path' && argument.readsFolders === true ? 'whole folders' : undefined
}

/** Warns if the agent has a shell, since a command can access files that the rules for file tools deny. */
function bypassProblems(
  rules: readonly LocatedRule[],
  tools: readonly ToolDefinition[],
): readonly PlanProblem[] {
  const shell = tools.find(({ ruleArguments = {} }) =>
    Object.values(ruleArguments).some(({ kind }) => kind === 'command'),
  )
  const first = rules.find(({ rule }) => tools.some((tool) => ruleReach(rule, tool) === 'path'))
  if (shell === undefined || first === undefined) return []
  const message = `${describeRule(first.rule)}: ${shell.name} can access files that the rule denies to ${first.rule.tool}.`
  return [planWarning('permission_rule_bypassed', message, first.at)]
}

function describeRule({ argument, pattern }: ArgumentRule): string {
  return `permissions.deny (${argument}: ${JSON.stringify(pattern)})`
}

/**
 * A rule for some calls in the syntax of another product, such as `Bash(rm *)` or `shell:cmd=rm *`. No tool
 * name contains these characters.
 */
const FOREIGN_RULE = /[\w*]\(|[=\s]/u

/** An agent with its known tools. */
interface PlannedTools {
  readonly agent: CheckedAgent
  readonly known: KnownTools
}

/** A rule written as text, and its path in the card. */
interface TextRule {
  readonly rule: string
  readonly path: readonly (string | number)[]
}

/**
 * Reports an error for each text rule that cannot match any tool name and so would restrict nothing, and a
 * warning for each that matches no tool of the team. Rules that could match a tool of an uninspected MCP
 * server are skipped.
 */
export function textRuleProblems(all: readonly PlannedTools[]): readonly PlanProblem[] {
  const names = knownNames(all)
  const servers = all.flatMap(({ known }) => known.unlisted)
  const unlisted = [...new Set(servers)].map((server) => mcpToolName(server, ''))
  const isKnown = (rule: string): boolean => {
    if (unlisted.some((prefix) => mayMatchPrefix(rule, prefix))) return true
    const matches = picomatch(rule, { nonegate: true, dot: true, nocase: true })
    return names.some((name) => matches(name))
  }
  return all.flatMap(({ agent }) =>
    textRules(agent).flatMap(({ rule, path }) => {
      const { card, definition } = agent.member
      const isTool = !FOREIGN_RULE.test(rule)
      if (isTool && (card.dialect !== 'troupe' || isKnown(rule))) return []
      const position = card.positionOf?.(path)
      const location = { file: card.path, ...position, agent: definition.name }
      const key = path.join('.')
      if (!isTool)
        return [
          planError('card_bad_value', `${key}: "${rule}" is not the name of a tool.`, {
            ...location,
            fix: FIX,
          }),
        ]
      // A rule from a conversion or the configuration may be meant for tools that only other agents have.
      if (position === undefined) return []
      return [planWarning('tool_unknown', `${key}: ${unmatched(rule, names)}`, location)]
    }),
  )
}

const FIX =
  'Write {tool: shell.execute, argument: command, pattern: "rm *"} for some calls of a tool, or the name of the tool for all of its calls.'

function knownNames(all: readonly PlannedTools[]): readonly string[] {
  const tools = all.flatMap(({ known }) => known.tools.map(({ name }) => name))
  const agents = all.map(({ agent }) => agentToolName(agent.member.definition.name))
  return [...new Set([...tools, ...agents, ...RUNTIME_TOOL_NAMES])]
}

function textRules({ member: { definition } }: CheckedAgent): readonly TextRule[] {
  const { permissions, requiresApproval } = definition
  const lists = [
    ...(['deny', 'ask', 'allow'] as const).map((list) => [['permissions', list], permissions[list]] as const),
    [['requiresApproval'], requiresApproval] as const,
  ]
  return lists.flatMap(([path, rules]) =>
    rules.flatMap((rule, index) => (typeof rule === 'string' ? [{ rule, path: [...path, index] }] : [])),
  )
}

function unmatched(rule: string, names: readonly string[]): string {
  return `"${rule}" matches no tool of the team${suggestionText(rule.replaceAll('*', ''), names)}`
}
