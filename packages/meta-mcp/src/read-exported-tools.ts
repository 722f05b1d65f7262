import {
  toWireName,
  troupeError,
  withHash,
  type AgentDefinition,
  type AgentTool,
  type JsonObject,
} from '@troupe/schema'
import { parsePromptTemplate } from '@troupe/tools/prompt-template'
import type { ExportedTool } from './exported-tool.ts'

/**
 * The tools that an agent offers (D22), by the name that clients call, in the order of the card. Throws `exports_no_tools` where there are none
 * and `tool_name_conflict` where its author gave two of them one name; names that only cleaning made equal are told apart by a hash (R2).
 */
export function readExportedTools(definition: AgentDefinition): ReadonlyMap<string, ExportedTool> {
  const { name, exports, source } = definition
  if (exports.tools.length === 0)
    throw troupeError('exports_no_tools', `${name} offers no tools: ${source.path} has no \`exports.tools\`.`)
  refuseTwins(definition)
  const prefix = toolPrefix(definition)
  const tools = new Map<string, ExportedTool>()
  for (const tool of exports.tools) {
    const full = `${prefix}${tool.name}`
    const clean = toWireName(full)
    const wireName = tools.has(clean) ? withHash(clean, full) : clean
    tools.set(wireName, toExported(tool, { wireName, version: tool.version ?? definition.version }))
  }
  return tools
}

function toExported(
  tool: AgentTool,
  { wireName, version }: Pick<ExportedTool, 'wireName' | 'version'>,
): ExportedTool {
  const { name, description, prompt, deprecated, needsPerson, background, limits = {}, cache } = tool
  const parameters = tool.parameters as unknown as JsonObject
  return {
    wireName,
    name,
    description,
    parameters,
    template: parsePromptTemplate(prompt),
    subject: { tool: { name, description }, parameters },
    version,
    limits,
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(needsPerson === undefined ? {} : { needsPerson }),
    ...(background === undefined ? {} : { background }),
    ...(cache === undefined ? {} : { cache: toCache(cache) }),
  }
}

function toCache({ ttl, key }: NonNullable<AgentTool['cache']>): NonNullable<ExportedTool['cache']> {
  return { ttl, ...(key === undefined ? {} : { key: parsePromptTemplate(key) }) }
}

/** R14: `<server>_`, unless the card says otherwise. */
function toolPrefix({ name, toolPrefix: wanted }: AgentDefinition): string {
  if (wanted === false || wanted === '') return ''
  const prefix = wanted === true ? name : wanted
  return prefix.endsWith('_') ? prefix : `${prefix}_`
}

function refuseTwins({ exports, source }: AgentDefinition): void {
  const names = exports.tools.map((tool) => tool.name)
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin !== undefined)
    throw troupeError('tool_name_conflict', `exports.tools: two tools are named "${twin}" in ${source.path}.`)
}
