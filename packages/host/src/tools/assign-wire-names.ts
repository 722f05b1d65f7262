import { troupeError, type ToolDefinition } from '@troupe/schema'
import { withHash } from '@troupe/schema/text'

/** A tool to be offered to the model of an agent. */
export interface ToolCandidate {
  readonly tool: ToolDefinition
  /** Name chosen by the author. `undefined` if a server chose it. */
  readonly written?: string
  /** Description of the origin, for messages. */
  readonly from: string
}

/** Tools by wire name, and messages about renamed tools. */
interface NamedTools {
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly renamed: readonly string[]
}

/**
 * Assigns a unique wire name to each tool, in the order given. Throws `tool_name_conflict` if two authors
 * chose the same name. If a name from a server or a cleaned name collides, the later tool gets a hash suffix.
 * No tool is dropped.
 */
export function assignWireNames(offered: readonly ToolCandidate[], agent: string): NamedTools {
  const owners = new Map<string, ToolCandidate>()
  const tools = new Map<string, ToolDefinition>()
  const renamed: string[] = []
  for (const candidate of offered) {
    const { wireName } = candidate.tool
    const other = owners.get(wireName)
    if (other === undefined) {
      owners.set(wireName, candidate)
      tools.set(wireName, candidate.tool)
      continue
    }
    if (isAsWritten(other) && isAsWritten(candidate)) throw conflict(agent, other, candidate)
    const free = freeName(candidate.tool, owners)
    owners.set(free, candidate)
    tools.set(free, { ...candidate.tool, wireName: free })
    renamed.push(
      `Two tools of ${agent} are named ${wireName}: ${other.from} and ${candidate.from}. The second one is renamed to ${free}.`,
    )
  }
  return { tools, renamed }
}

function isAsWritten({ tool, written }: ToolCandidate): boolean {
  return written === tool.wireName
}

function freeName({ wireName, name }: ToolDefinition, taken: ReadonlyMap<string, unknown>): string {
  let free = withHash(wireName, name)
  for (let round = 2; taken.has(free); round += 1) free = withHash(wireName, `${name}#${round}`)
  return free
}

function conflict(agent: string, first: ToolCandidate, second: ToolCandidate): Error {
  return troupeError(
    'tool_name_conflict',
    `Two tools of ${agent} are named ${second.tool.wireName}: ${first.from} and ${second.from}.`,
  )
}
