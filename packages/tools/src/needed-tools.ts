import {
  failure,
  getOwn,
  isJsonObject,
  type AgentTool,
  type Failure,
  type Json,
  type JsonObject,
} from '@troupe/schema'

/** A problem with the `needs` of an agent's tool, and its position. */
export interface NeedProblem {
  readonly problem: Failure
  /** Index of the tool. */
  readonly tool: number
  /** Index in the tool's `needs`. */
  readonly need: number
}

/** Returns the names of the tools that a tool needs, in order. */
export function neededNames({ needs = [] }: Pick<AgentTool, 'needs'>): readonly string[] {
  return needs.map((need) => (typeof need === 'string' ? need : need.tool))
}

/**
 * Returns the problems with the `needs` of an agent's tools: unknown names, cycles, unavailable versions, and
 * arguments that the needed tool requires but its caller may omit. `agentVersion` applies to tools without a
 * version.
 */
export function needProblems(tools: readonly AgentTool[], agentVersion: string): readonly NeedProblem[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return tools.flatMap((one, tool) =>
    (one.needs ?? []).flatMap((need, index) => {
      const { tool: name, version: wanted } = typeof need === 'string' ? { tool: need } : need
      const message = unmetReason(one, { needed: byName.get(name), name, wanted }, { byName, agentVersion })
      if (message === undefined) return []
      return [{ problem: failure('export_need_unmet', `exports.tools: ${message}`), tool, need: index }]
    }),
  )
}

function unmetReason(
  tool: AgentTool,
  {
    needed,
    name,
    wanted,
  }: {
    readonly needed: AgentTool | undefined
    readonly name: string
    readonly wanted?: string | undefined
  },
  {
    byName,
    agentVersion,
  }: { readonly byName: ReadonlyMap<string, AgentTool>; readonly agentVersion: string },
): string | undefined {
  if (needed === undefined)
    return `${tool.name} needs ${name}, which does not exist. Existing tools: ${[...byName.keys()].join(', ')}.`
  const circle = findNeedPath(name, tool.name, byName)
  if (circle !== undefined) return `${[tool.name, ...circle].join(' needs ')}, which is a cycle.`
  const version = needed.version ?? agentVersion
  if (wanted !== undefined && !isCompatibleVersion(version, wanted))
    return `${tool.name} needs version ${wanted} of ${name}, which is ${version}.`
  const missing = missingArguments(tool, needed)
  if (missing.length === 0) return undefined
  return `${name} requires ${missing.join(', ')}, which ${tool.name} neither requires nor has a default for.`
}

/** Returns the path from one tool to another along their needs; `undefined` if there is none. */
function findNeedPath(
  from: string,
  to: string,
  byName: ReadonlyMap<string, AgentTool>,
  seen: Set<string> = new Set(),
): readonly string[] | undefined {
  if (from === to) return [from]
  const tool = byName.get(from)
  if (tool === undefined || seen.has(from)) return undefined
  seen.add(from)
  for (const next of neededNames(tool)) {
    const rest = findNeedPath(next, to, byName, seen)
    if (rest !== undefined) return [from, ...rest]
  }
  return undefined
}

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)$/u

/**
 * Returns true for the wanted version or a later one of the same major version; below 1.0.0 of the same minor
 * version. Other version formats must be equal.
 */
function isCompatibleVersion(version: string, wanted: string): boolean {
  if (version === wanted) return true
  const [have, want] = [version, wanted].map((text) => NUMBERS.exec(text)?.slice(1).map(Number))
  if (have === undefined || want === undefined) return false
  const [major = 0, minor = 0, patch = 0] = have
  const [wantedMajor = 0, wantedMinor = 0, wantedPatch = 0] = want
  if (major !== wantedMajor || (major === 0 && minor !== wantedMinor)) return false
  return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch)
}

function missingArguments(tool: AgentTool, needed: AgentTool): readonly string[] {
  const own = tool.parameters as unknown as JsonObject
  const { required } = needed.parameters as unknown as JsonObject
  const always = new Set([...namesIn(own['required']), ...propertiesWithDefault(own['properties'])])
  return namesIn(required).filter((name) => !always.has(name))
}

function namesIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
}

function propertiesWithDefault(properties: Json | undefined): readonly string[] {
  if (!isJsonObject(properties)) return []
  return Object.keys(properties).filter((name) => {
    const schema = getOwn(properties, name)
    return isJsonObject(schema) && schema['default'] !== undefined
  })
}
