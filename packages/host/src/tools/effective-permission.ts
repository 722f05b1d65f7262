import { createPermission } from '@troupe/core'
import type { AgentDefinition } from '@troupe/schema'
import type { CallPermission, PermissionDecision, PermissionPolicy } from '@troupe/schema/ports'

type PermissionSettings = Pick<AgentDefinition, 'permissions' | 'requiresApproval' | 'toolPermission'>

const STRICTNESS = ['never', 'tool', 'always'] as const

/**
 * Returns the permissions of an agent called by other agents. The agent keeps its own rules and inherits only
 * limits: deny rules, the stricter `toolPermission`, and under `always` that every call is asked about unless
 * a rule of that agent allows it.
 */
export function effectivePermission(
  definition: PermissionSettings,
  ancestors: readonly PermissionSettings[],
): PermissionPolicy {
  if (ancestors.length === 0) return createPermission(definition)
  const own = createPermission({ ...definition, toolPermission: strictest([definition, ...ancestors]) })
  const policies = [own, ...ancestors.map(inheritedPermission)]
  return {
    ofTool: (tool) => strictestDecision(policies.map((policy) => policy.ofTool(tool))),
    ofCall: async (tool, args) =>
      strictestCall(await Promise.all(policies.map((policy) => policy.ofCall(tool, args)))),
  }
}

function strictestDecision(decisions: readonly PermissionDecision[]): PermissionDecision {
  if (decisions.includes('deny')) return 'deny'
  return decisions.includes('ask') ? 'ask' : 'allow'
}

function strictestCall(decisions: readonly CallPermission[]): CallPermission {
  const strictestPermission =
    decisions.find(({ decision }) => decision === 'deny') ??
    decisions.find(({ decision }) => decision === 'ask')
  return strictestPermission ?? { decision: 'allow' }
}

function strictest(all: readonly PermissionSettings[]): PermissionSettings['toolPermission'] {
  const level = Math.max(...all.map((rules) => STRICTNESS.indexOf(rules.toolPermission)))
  return STRICTNESS[level] ?? 'always'
}

function inheritedPermission({ permissions, toolPermission }: PermissionSettings): PermissionPolicy {
  const isAlways = toolPermission === 'always'
  return createPermission({
    permissions: { deny: permissions.deny, ask: [], allow: isAlways ? permissions.allow : [] },
    requiresApproval: [],
    toolPermission: isAlways ? 'always' : 'never',
  })
}
