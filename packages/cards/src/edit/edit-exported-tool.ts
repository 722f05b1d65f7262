import { isJsonObject, type AgentTool, type Json } from '@troupe/schema'
import { syntaxOf } from '../file/card-syntax.ts'
import { readCardText } from '../file/card-text.ts'
import type { ParseOptions } from '../formats/card-format.ts'
import { editCard, type CardEdit } from './edit-card.ts'

/**
 * Writes one exported tool into a card: replaces the tool of that name, or appends it. `undefined` removes
 * the tool, and the list with its last tool. Keys that the new tool lacks are kept. Applies the same checks
 * as {@link editCard}.
 */
export function editExportedTool(
  text: string,
  { name, tool }: { readonly name: string; readonly tool: AgentTool | undefined },
  options: ParseOptions,
): CardEdit {
  const tools = toolsOf(text, options)
  const found = tools.findIndex((entry) => isJsonObject(entry) && entry['name'] === name)
  const index = found === -1 ? tools.length : found
  const before = tools[found]
  const value = tool === undefined || !isJsonObject(before) ? tool : { ...before, ...tool }
  const isLast = tool === undefined && found !== -1 && tools.length === 1
  const at = isLast ? ['exports', 'tools'] : ['exports', 'tools', index]
  return editCard(text, { at, value: value as unknown as Json | undefined }, options)
}

/** Returns the exported tools. Returns none if the card cannot be read, which `editCard` reports. */
function toolsOf(text: string, { path }: ParseOptions): readonly Json[] {
  const card = readCardText(text, syntaxOf(path))
  const exported = 'problem' in card ? undefined : card.fields['exports']
  const tools = isJsonObject(exported) ? exported['tools'] : undefined
  return Array.isArray(tools) ? (tools as readonly Json[]) : []
}
