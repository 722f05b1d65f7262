import type { Warn } from '@troupe/registry'
import type { Generation } from '../generation.ts'
import type { ToolLease } from '../host-types.ts'
import { permissionBelow } from '../prepare/ceilings.ts'
import { findAgent, requireRunnable } from './find-agent.ts'

/** Leases the tools of an agent. The team snapshot is retained until the lease is released. */
export async function leaseTools(generation: Generation, name: string | undefined): Promise<ToolLease> {
  const { loaded, preparer } = generation
  const agent = findAgent(loaded, name)
  requireRunnable(loaded, agent)
  const forget = generation.hold()
  const warnings: string[] = []
  const warn: Warn = ({ message }) => void warnings.push(message)
  try {
    const prepared = await preparer.tools(agent, { principal: 'local', warn })
    return {
      tools: [...prepared.tools.values()],
      warnings,
      permission: permissionBelow(agent.member.definition, []).ofTool,
      release: async () => {
        try {
          await prepared.release()
        } finally {
          forget()
        }
      },
    }
  } catch (thrown) {
    forget()
    throw thrown
  }
}
