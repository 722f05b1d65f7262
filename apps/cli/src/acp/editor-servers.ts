import { RequestError, type McpServer } from '@agentclientprotocol/sdk'
import type { Host } from '@troupe/host'
import type { McpServerConfig, ToolDefinition } from '@troupe/schema'

/** The MCP servers that an editor brings along for a session. */
export interface EditorServers {
  /** Their tools, each of which needs approval unless the card allows it. */
  readonly tools: readonly ToolDefinition[]
  /** Ends the servers. Never rejects. */
  release(): Promise<void>
}

const MAX_SERVERS = 32
const MAX_TOOLS = 128
const NAME = /^[\w.-]{1,64}$/u

/**
 * Checks and starts the servers of an editor, which are untrusted. If one does not start, ends the others and
 * rejects with its failure.
 */
export async function openEditorServers(
  servers: readonly McpServer[],
  { host, cwd }: { readonly host: Pick<Host, 'servers'>; readonly cwd: string },
): Promise<EditorServers> {
  checkNames(servers)
  const settled = await Promise.allSettled(
    servers.map((server) =>
      host.servers.open({ name: nameOf(server), config: toConfig(server), folder: cwd }),
    ),
  )
  const opened = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const release = async (): Promise<void> => {
    await Promise.all(opened.map((server) => server.release()))
  }
  const tools = opened.flatMap((server) => server.tools)
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed === undefined && tools.length <= MAX_TOOLS) return { tools, release }
  await release()
  throw failed?.reason ?? invalid(`they have ${tools.length} tools, and at most ${MAX_TOOLS} are accepted.`)
}

function checkNames(servers: readonly McpServer[]): void {
  if (servers.length > MAX_SERVERS)
    throw invalid(`${servers.length} servers, and at most ${MAX_SERVERS} are accepted.`)
  const names = servers.map(nameOf)
  for (const [index, name] of names.entries()) {
    if (!NAME.test(name))
      throw invalid('the name must have 1 to 64 letters, digits, spaces, `.`, `_` and `-`.', index)
    if (names.indexOf(name) < index) throw invalid(`the name ${name} occurs twice.`, index)
  }
}

/** Returns the name of a server as part of tool names. */
function nameOf({ name }: McpServer): string {
  return name.replaceAll(' ', '-')
}

function toConfig(server: McpServer): McpServerConfig {
  if ('url' in server)
    return { type: server.type, url: server.url, headers: toRecord(server.headers), requiresApproval: true }
  return { command: server.command, args: server.args, env: toRecord(server.env), requiresApproval: true }
}

function toRecord(
  entries: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]))
}

function invalid(problem: string, index?: number): RequestError {
  return RequestError.invalidParams(
    undefined,
    `mcpServers${index === undefined ? '' : `.${index}`}: ${problem}`,
  )
}
