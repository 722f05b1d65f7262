import { mcpToolName, type Json, type JsonObject, type RuntimeTool } from '@troupe/schema'
import type { FieldPath } from '../card/problem.ts'
import { addToList, type Rewriter } from './rewriter.ts'

/** Canonical names of the built-in tools that other products have too. */
export const SHARED_RUNTIME_TOOLS = [
  'filesystem.read',
  'filesystem.list',
  'filesystem.search',
  'filesystem.write',
  'shell.execute',
  'web.fetch',
  'web.search',
  'todo.read',
  'todo.write',
] as const

/** Those of them that an agent gets without naming them. Web search requires a configured provider. */
const UNLISTED_TOOLS: readonly string[] = SHARED_RUNTIME_TOOLS.filter((name) => name !== 'web.search')

/** Tools that write, run something or reach out, for which other products ask for approval by default. */
export const APPROVAL_TOOLS: readonly string[] = [
  'filesystem.write',
  'shell.execute',
  'web.fetch',
  'web.search',
  'memory.write',
  'memory.delete',
]

/** Groups of `runtimeTools` by the name of a tool, or by its first word. */
const GROUPS: ReadonlyMap<string, RuntimeTool> = new Map([
  ['filesystem', 'filesystem'],
  ['shell', 'shell'],
  ['human', 'human'],
  ['skill', 'skills'],
  ['web.fetch', 'fetch'],
  ['web.search', 'search'],
  ['todo', 'todo'],
  ['memory', 'memory'],
])

/** Limits the calls of a tool by one argument. */
export interface CallLimit {
  readonly argument: string
  /** Pattern of the values that the calls may have. Default: calls must not have the argument. */
  readonly pattern?: string
}

/** Characters that names of tools cannot contain, and that would make a name a glob. */
const GLOB = /[*?[\]{}()!+@\\]/u

/** Returns the names that can be those of tools, for products that compare whole names. */
export function exactToolNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => !GLOB.test(name))
}

/**
 * The tools that an agent may use, collected while its keys are read: canonical names of built-in tools and
 * names of MCP tools.
 */
export interface ToolPermissions {
  /**
   * Allows tools by canonical name, or by a glob of such names. With a limit, all calls beyond it are denied
   * unless the tools are also allowed without one.
   */
  allow(names: readonly string[], from: FieldPath, limit?: CallLimit): void
  /** Removes tools by canonical name. */
  refuse(names: readonly string[], from: FieldPath): void
  /** Allows tools of an MCP server. Default: all of them. */
  allowServer(server: string, from: FieldPath, tools?: readonly string[]): void
  /** Adds a server whose tools are allowed unless the file has a list of tools. */
  addServer(server: string): void
  /** Restricts a server to the tools with these names, whatever else is allowed. */
  limitServer(server: string, tools: readonly string[]): void
  /** Makes the allowed tools the only ones, because the file has a list. */
  limit(): void
  /** Allows all tools of the other product. */
  allowAll(from: FieldPath): void
  /** Allows the tools of a server without approval in a product that asks about those of servers. */
  trustServer(server: string): void
  /** Removes the default approval of these tools, because the file decides about it. */
  skipDefaultApproval(names: readonly string[]): void
  /** Removes the default approval of all tools. */
  skipAllDefaultApprovals(): void
  /**
   * Returns true if the agent may use tools of a server that the project defines, as far as its keys have been
   * read. `all` is true if the product gives every server to an agent without a list of tools.
   */
  usesServer(server: string, all: boolean): boolean
  /**
   * Returns true if the agent gets all tools of the other product although the file does not list them. Valid
   * after `finish`.
   */
  grantsUnlisted(): boolean
  /**
   * Writes `tools`, `runtimeTools`, `permissions` and `requiresApproval`.
   */
  finish(
    rewriter: Rewriter,
    options: {
      /** True if the product gives all its tools to an agent without a list. */
      readonly all: boolean
      /** True if the product asks about the tools of servers. */
      readonly asksForServers?: boolean
      readonly from: FieldPath
    },
  ): void
}

/** Creates an empty set of permissions. */
export function createToolPermissions(): ToolPermissions {
  const allowed = new Map<string, FieldPath>()
  const refused = new Set<string>()
  const servers = new Set<string>()
  const limits = new Map<string, readonly string[]>()
  const settled = new Set<string>()
  const trusted = new Set<string>()
  const callLimits = new Map<string, Set<CallLimit | undefined>>()
  let isLimited = false
  let isOpen = false
  const grant: ToolPermissions = {
    allow: (names, from, limit) => {
      for (const name of names) {
        if (!allowed.has(name)) allowed.set(name, from)
        callLimits.set(name, (callLimits.get(name) ?? new Set()).add(limit))
      }
    },
    refuse: (names) => {
      for (const name of names) refused.add(name)
    },
    allowServer: (server, from, tools = ['*']) => {
      servers.add(server)
      grant.allow(
        tools.map((tool) => mcpToolName(server, tool)),
        from,
      )
    },
    addServer: (server) => {
      servers.add(server)
    },
    limitServer: (server, tools) => {
      limits.set(server, exactToolNames(tools))
    },
    trustServer: (server) => {
      trusted.add(server)
    },
    limit: () => {
      isLimited = true
    },
    allowAll: (from) => {
      isLimited = true
      isOpen = true
      grant.allow(UNLISTED_TOOLS, from)
      grant.allow(['*__*'], from)
    },
    skipDefaultApproval: (names) => {
      for (const name of names) settled.add(name)
    },
    skipAllDefaultApprovals: () => grant.skipDefaultApproval(APPROVAL_TOOLS),
    usesServer: (server, all) => {
      if (refused.has(mcpToolName(server, '*')) || refused.has(EVERY_SERVER)) return false
      const prefix = mcpToolName(server, '')
      const names = [...allowed.keys()]
      return (
        (all && !isLimited) ||
        servers.has(server) ||
        names.some((name) => name.startsWith(OF_EVERY_SERVER) || name.startsWith(prefix))
      )
    },
    grantsUnlisted: () => isOpen,
    finish: (rewriter, { all, asksForServers = false, from }) => {
      isOpen ||= !isLimited && all
      if (!isLimited && all) giveAll(grant, { refused, rewriter, from })
      if (!isLimited && allowed.size > 0)
        for (const server of servers) grant.allow([mcpToolName(server, '*')], from)
      const available = limits.size === 0 ? [...allowed] : withinLimits(allowed, { limits, servers })
      const kept = available.filter(([name]) => !refused.has(name))
      if (isLimited || kept.length > 0 || refused.size > 0) write(rewriter, kept, from)
      const needApproval = kept
        .map(([name]) => name)
        .filter((name) => APPROVAL_TOOLS.includes(name) && !settled.has(name))
      addToList(rewriter, { to: ['permissions', 'ask'], values: needApproval, from })
      const untrusted = asksForServers ? [...servers].filter((server) => !trusted.has(server)) : []
      addToList(rewriter, {
        to: ['requiresApproval'],
        values: untrusted.map((server) => mcpToolName(server, '*')),
        from,
      })
      const denied = kept.flatMap(([name]) => limitRules(name, [...(callLimits.get(name) ?? [])]))
      addToList(rewriter, { to: ['permissions', 'deny'], values: denied, from })
    },
  }
  return grant
}

const EVERY_SERVER = '*__*'
/** Prefix of a tool of every server. */
const OF_EVERY_SERVER = '*__'

/** Returns the rules that deny the calls beyond the limits of a tool, unless it is also allowed without one. */
function limitRules(tool: string, limits: readonly (CallLimit | undefined)[]): readonly JsonObject[] {
  if (limits.includes(undefined)) return []
  return limits.flatMap((limit) =>
    limit === undefined
      ? []
      : [
          {
            tool,
            argument: limit.argument,
            pattern: '*',
            ...(limit.pattern === undefined ? {} : { except: [limit.pattern] }),
          },
        ],
  )
}

/** Removes tools that are excluded by the limits of their servers. */
function withinLimits(
  allowed: ReadonlyMap<string, FieldPath>,
  known: { readonly limits: ReadonlyMap<string, readonly string[]>; readonly servers: ReadonlySet<string> },
): readonly (readonly [string, FieldPath])[] {
  const { limits, servers } = known
  const kept = [...allowed].flatMap(([name, from]) => {
    const names = name.startsWith(OF_EVERY_SERVER)
      ? [...servers].map((server) => mcpToolName(server, name.slice(OF_EVERY_SERVER.length)))
      : [name]
    return names.flatMap((each) => limitedNames(each, limits)).map((each) => [each, from] as const)
  })
  return [...new Map(kept)]
}

/**
 * Returns the name, or the allowed names if it stands for all tools of a server; empty if the tool is
 * excluded.
 */
function limitedNames(name: string, limits: ReadonlyMap<string, readonly string[]>): readonly string[] {
  for (const [server, tools] of limits) {
    const names = tools.map((tool) => mcpToolName(server, tool))
    if (name === mcpToolName(server, '*')) return names
    if (name.startsWith(mcpToolName(server, ''))) return names.includes(name) ? [name] : []
  }
  return [name]
}

function giveAll(
  grant: ToolPermissions,
  options: {
    readonly refused: { has(name: string): boolean }
    readonly rewriter: Rewriter
    readonly from: FieldPath
  },
): void {
  const { refused, rewriter, from } = options
  const names = UNLISTED_TOOLS.filter((name) => !refused.has(name))
  grant.allow(names, from)
  rewriter.note({
    key: '(no list of tools)',
    status: 'translated',
    to: `runtimeTools: [${groupsOf(names).join(', ')}]`,
    reason: 'the default tools of an agent without a list; web search must be listed',
  })
}

function write(rewriter: Rewriter, kept: readonly (readonly [string, FieldPath])[], from: FieldPath): void {
  rewriter.put(
    ['tools'],
    kept.map(([name]): Json => name),
    from,
  )
  for (const [index, [, at]] of kept.entries()) rewriter.locate(['tools', index], at)
  addToList(rewriter, { to: ['runtimeTools'], values: groupsOf(kept.map(([name]) => name)), from })
}

function groupsOf(names: readonly string[]): readonly string[] {
  return [
    ...new Set(names.flatMap((name) => GROUPS.get(name) ?? GROUPS.get(name.split('.', 1)[0] ?? '') ?? [])),
  ]
}
