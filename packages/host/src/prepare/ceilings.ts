import { createPermission } from '@troupe/core'
import type { AgentDefinition, PreparedAgent } from '@troupe/schema'

type Permission = PreparedAgent['permission']
type Rules = Pick<AgentDefinition, 'permissions' | 'requiresApproval' | 'toolPermission'>

const STRICTNESS = ['never', 'tool', 'always'] as const

/**
 * The permission of an agent below the agents that called it (R16). A child keeps its own rules; inherited are only ceilings: deny
 * rules, the stricter `toolPermission`, and that everything is asked under `always` unless a rule there allows it.
 */
export function permissionBelow(definition: Rules, ancestors: readonly Rules[]): Permission {
  if (ancestors.length === 0) return createPermission(definition)
  const own = createPermission({ ...definition, toolPermission: strictest([definition, ...ancestors]) })
  const above = ancestors.map(ceilingOf)
  return (tool) => {
    const decisions = [own(tool), ...above.map((ceiling) => ceiling(tool))]
    if (decisions.includes('deny')) return 'deny'
    return decisions.includes('ask') ? 'ask' : 'allow'
  }
}

function strictest(all: readonly Rules[]): Rules['toolPermission'] {
  const level = Math.max(...all.map((rules) => STRICTNESS.indexOf(rules.toolPermission)))
  return STRICTNESS[level] ?? 'always'
}

function ceilingOf({ permissions, toolPermission }: Rules): Permission {
  return createPermission({
    permissions: { deny: permissions.deny, ask: [], allow: permissions.allow },
    requiresApproval: [],
    toolPermission: toolPermission === 'always' ? 'always' : 'never',
  })
}
