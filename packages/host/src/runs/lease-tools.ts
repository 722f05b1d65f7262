import type { Warn } from '@troupe/registry'
import type { TeamSnapshot } from '../team-snapshot.ts'
import type { ToolLease } from '../host-types.ts'
import { effectivePermission } from '../prepare/effective-permission.ts'
import { findAgent, requireRunnable } from './find-agent.ts'

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
