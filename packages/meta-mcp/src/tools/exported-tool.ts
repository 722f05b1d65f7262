import {
  toWireName,
  troupeError,
  type AgentDefinition,
  type AgentTool,
  type AgentToolLimits,
  type JsonObject,
} from '@troupe/schema'
import { withHash } from '@troupe/schema/text'
import { parsePromptTemplate, type PromptSubject, type PromptTemplate } from '@troupe/tools/prompt-template'
import { neededNames, needProblems } from '@troupe/tools'

/** A tool of an agent's `exports.tools`, ready to be listed and called. */
export interface ExportedTool extends Pick<AgentTool, 'deprecated' | 'needsPerson' | 'background'> {
  /** Name for clients, with prefix and valid for all providers. */
  readonly wireName: string
  /** Name in the card. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
  readonly template: PromptTemplate
  readonly subject: PromptSubject
  readonly version: string
  /** Tools of the agent to call before this one, in order. */
  readonly needs: readonly ExportedTool[]
  readonly limits: AgentToolLimits
  /** Lifetime of a cached answer in ms, and the template of its key. */
  readonly cache?: { readonly ttl: number; readonly key?: PromptTemplate }
}

/**
 * Returns the exported tools of an agent by wire name, in the order of the card. A hash distinguishes names
 * that differ only in characters replaced for the wire name. Throws `exports_no_tools` if there are none,
 * `tool_name_conflict` if two have the same name, and `export_need_unmet` if a needed tool is missing or does
 * not fit.
 */
export function readExportedTools(definition: AgentDefinition): ReadonlyMap<string, ExportedTool> {
  const { name, exports, source, version } = definition
  if (exports.tools.length === 0)
    throw troupeError(
      'exports_no_tools',
      `${name} does not export tools: ${source.path} has no \`exports.tools\`.`,
    )
  rejectDuplicateNames(definition)
  const [unmet] = needProblems(exports.tools, version)
  if (unmet !== undefined)
    throw troupeError(unmet.problem.code, `${unmet.problem.message} The card is ${source.path}.`)
  const wireNames = nameTools(definition)
  const byName = new Map(exports.tools.map((tool) => [tool.name, tool]))
  const read = new Map<string, ExportedTool>()

  function readTool(tool: AgentTool): ExportedTool {
    const known = read.get(tool.name)
    if (known !== undefined) return known
    const needed = neededNames(tool).flatMap((each) => byName.get(each) ?? [])
    const wireName = wireNames.get(tool.name) ?? tool.name
    const made = toExported(tool, { wireName, version: tool.version ?? version, needs: needed.map(readTool) })
    read.set(tool.name, made)
    return made
  }

  return new Map(exports.tools.map(readTool).map((tool) => [tool.wireName, tool]))
}

/** Returns the wire names by tool name. */
function nameTools(definition: AgentDefinition): ReadonlyMap<string, string> {
  const prefix = toolPrefix(definition)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { name } of definition.exports.tools) {
    const full = `${prefix}${name}`
    const clean = toWireName(full)
    const wireName = taken.has(clean) ? withHash(clean, full) : clean
    taken.add(wireName)
    names.set(name, wireName)
  }
  return names
}

function toExported(
  tool: AgentTool,
  { wireName, version, needs }: Pick<ExportedTool, 'wireName' | 'version' | 'needs'>,
): ExportedTool {
  const { name, description, prompt, deprecated, background, limits = {}, cache } = tool
  const parameters = tool.parameters as unknown as JsonObject
  const needsPerson = tool.needsPerson === true || needs.some((needed) => needed.needsPerson)
  return {
    wireName,
    name,
    description,
    parameters,
    template: parsePromptTemplate(prompt),
    subject: { tool: { name, description }, parameters },
    version,
    limits,
    needs,
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(needsPerson ? { needsPerson } : {}),
    ...(background === undefined ? {} : { background }),
    ...(cache === undefined ? {} : { cache: toCache(cache) }),
  }
}

function toCache({ ttl, key }: NonNullable<AgentTool['cache']>): NonNullable<ExportedTool['cache']> {
  return { ttl, ...(key === undefined ? {} : { key: parsePromptTemplate(key) }) }
}

/** Returns the prefix of tool names: `<agent>_` unless the card says otherwise. */
function toolPrefix({ name, toolPrefix: wanted }: AgentDefinition): string {
  if (wanted === false || wanted === '') return ''
  const prefix = wanted === true ? name : wanted
  return prefix.endsWith('_') ? prefix : `${prefix}_`
}

function rejectDuplicateNames({ exports, source }: AgentDefinition): void {
  const names = exports.tools.map((tool) => tool.name)
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin !== undefined)
    throw troupeError('tool_name_conflict', `exports.tools: two tools in ${source.path} are named "${twin}".`)
}
