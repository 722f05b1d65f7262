import { AGENT_MODES, isJsonObject, type JsonObject } from '@troupe/schema'
import { CLAUDE_TOOLS } from './claude-tools.ts'
import type { RawCard } from './card-format.ts'
import { isFastAgentModel } from './model-mapping.ts'
import { textList } from './text-list.ts'

/**
 * Returns true for `agents` that define agents inline, as in a docker-agent file. In Troupe cards, `agents`
 * is a list of names.
 */
export function definesAgents({ agents }: JsonObject): boolean {
  return isJsonObject(agents) && Object.values(agents).every(isJsonObject)
}

/**
 * Returns true if a key that Troupe cards have too holds a value of another product: a tool name, a mode, or
 * a fast-agent model. A model alias such as `sonnet` does not count.
 */
export function hasForeignValue({ fields, modelWords }: RawCard): boolean {
  const { tools, model, mode } = fields
  if (isFastAgentModel(model) && !isConfigured(model, modelWords)) return true
  if (typeof mode === 'string' && !AGENT_MODES.some((known) => known === mode))
    return /^(?:primary|subagent|all)$/u.test(mode)
  if (tools === undefined) return false
  return (textList(tools, []) ?? []).some(({ text }) => isForeignTool(text))
}

function isConfigured(model: unknown, names: ReadonlySet<string> | undefined): boolean {
  return typeof model === 'string' && names?.has(model.split('?', 1)[0] ?? '') === true
}

function isForeignTool(name: string): boolean {
  return name !== '*' && (CLAUDE_TOOLS.has(name) || /^mcp_|\/|^\w+\(/u.test(name))
}
