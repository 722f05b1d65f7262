import { AGENT_MODES, isJsonObject, type JsonObject } from '@troupe/schema'
import { CLAUDE_TOOLS } from './claude-tools.ts'
import { isFastAgentModel } from './model-words.ts'
import { textList } from './text-list.ts'

const OTHER_MODELS = /^(?:inherit|sonnet|haiku|opus|fable)$/iu
/** True when a key that we have too holds what only another product writes: the card is not one of ours. */
export function hasForeignValue({ tools, model, mode, agents }: JsonObject): boolean {
  if (isJsonObject(agents) && Object.values(agents).every(isJsonObject)) return true
  if (typeof model === 'string' && OTHER_MODELS.test(model)) return true
  if (isFastAgentModel(model)) return true
  if (typeof mode === 'string' && !AGENT_MODES.some((known) => known === mode))
    return /^(?:primary|subagent|all)$/u.test(mode)
  if (tools === undefined) return false
  return (textList(tools, []) ?? []).some(({ text }) => isForeignTool(text))
}

function isForeignTool(name: string): boolean {
  return name !== '*' && (CLAUDE_TOOLS.has(name) || /^mcp_|\/|^\w+\(/u.test(name))
}
