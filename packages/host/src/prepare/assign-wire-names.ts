import { troupeError, withHash, type ToolDefinition } from '@troupe/schema'

/** A tool on its way to an agent. */
export interface OfferedTool {
  readonly tool: ToolDefinition
  /** The name its author wrote for the model; none: a server gave it. */
  readonly written?: string
  /** Where it comes from, for messages. */
  readonly from: string
}

/** Tools by wire name, and what had to be renamed. */
export interface NamedTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly renamed: readonly string[]
}

/**
 * One tool for each wire name, in the order given (R2). Names that two authors wrote as they are: throws `tool_name_conflict` naming both
 * places. Names that a server's list or the cleaning made equal: the later tool gets a hash suffix. None is dropped (A41).
 */
export function assignWireNames(offered: readonly OfferedTool[], agent: string): NamedTools {
  const owners = new Map<string, OfferedTool>()
  const tools = new Map<string, ToolDefinition>()
  const renamed: string[] = []
  for (const each of offered) {
    const { wireName } = each.tool
    const other = owners.get(wireName)
    if (other === undefined) {
      owners.set(wireName, each)
      tools.set(wireName, each.tool)
      continue
    }
    if (isAsWritten(other) && isAsWritten(each)) throw conflict(agent, other, each)
    const free = freeName(each.tool, owners)
    owners.set(free, each)
    tools.set(free, { ...each.tool, wireName: free })
    renamed.push(
      `Two tools of ${agent} are called ${wireName}: ${other.from} and ${each.from}; the second one is offered as ${free}.`,
    )
  }
  return { tools, renamed }
}

function isAsWritten({ tool, written }: OfferedTool): boolean {
  return written === tool.wireName
}

function freeName({ wireName, name }: ToolDefinition, taken: ReadonlyMap<string, unknown>): string {
  let free = withHash(wireName, name)
  for (let round = 2; taken.has(free); round += 1) free = withHash(wireName, `${name}#${round}`)
  return free
}

function conflict(agent: string, first: OfferedTool, second: OfferedTool): Error {
  return troupeError(
    'tool_name_conflict',
    `Two tools of ${agent} are called ${second.tool.wireName}: ${first.from} and ${second.from}.`,
  )
}
