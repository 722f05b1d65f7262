import { AGENT_MODES, isJsonObject, type JsonObject } from '@troupe/schema'
import { CLAUDE_TOOLS } from './claude-tools.ts'
import type { DialectInput } from './dialect.ts'
import { isFastAgentModel } from './model-words.ts'
import { textList } from './text-list.ts'

/** True for `agents` that define agents inline, as a docker-agent file does. Our own `agents` is a list of names. */
export function definesAgents({ agents }: JsonObject): boolean {
  return isJsonObject(agents) && Object.values(agents).every(isJsonObject)
}

/**
 * True if a key that our own cards have too holds a value that another product writes there: a tool name, a mode, a model of
 * fast-agent. A model alias such as `sonnet` is no such value.
 */
export function hasForeignValue({ fields, modelWords }: DialectInput): boolean {
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
