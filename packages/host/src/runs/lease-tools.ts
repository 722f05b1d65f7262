import type { Warn } from '@troupe/registry'
import type { ToolDefinition } from '@troupe/schema'
import { findAgent, requireRunnable } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { effectivePermission } from '../tools/effective-permission.ts'

/** The tools of an agent and their permissions. */
export interface ToolLease {
  readonly tools: readonly ToolDefinition[]
  /** Returns whether a call of the tool runs, needs approval, or is denied. */
  permission(tool: ToolDefinition): 'allow' | 'ask' | 'deny'
  /**
   * Warnings for the user: filters without a match, renamed tools, messages of servers. Grows until
   * `release`.
   */
  readonly warnings: readonly string[]
  release(): Promise<void>
}

/** Leases the tools of an agent. The team snapshot is retained until the lease is released. */
export async function leaseTools(snapshot: TeamSnapshot, name: string | undefined): Promise<ToolLease> {
  const { loaded, preparer } = snapshot
  const agent = findAgent(loaded, name)
  requireRunnable(loaded, agent)
  const releaseSnapshot = snapshot.retain()
  const warnings: string[] = []
  const warn: Warn = ({ message }) => void warnings.push(message)
  try {
    const prepared = await preparer.tools(agent, { principal: 'local', warn })
    return {
      tools: [...prepared.tools.values()],
      warnings,
      permission: effectivePermission(agent.member.definition, []).ofTool,
      release: async () => {
        try {
          await prepared.release()
        } finally {
          releaseSnapshot()
        }
      },
    }
  } catch (thrown) {
    releaseSnapshot()
    throw thrown
  }
}
