import { createProviderLimiter, randomId, type ApprovalGateControl, type OpenOnceCalls } from '@troupe/core'
import type { Clock, ProviderLimiter, RunStore, ValidateArguments } from '@troupe/schema'
import type { RememberedApprovals } from '../approvals/remembered-approvals.ts'
import type { RememberedConversations } from '../conversations/remembered-conversations.ts'
import type { TeamSnapshots } from '../snapshot/team-snapshots.ts'
import type { RootRuns } from './root-runs.ts'

/** Dependencies for starting runs. */
export interface RunsContext {
  readonly clock: Clock
  readonly validate: ValidateArguments
  readonly team: TeamSnapshots
  readonly roots: RootRuns
  /** Throws `usage_invalid` if the host is closed. */
  requireOpen(): void
  /** Returns the store. Throws `usage_invalid` if there is none or the host is closed. */
  requireStore(): RunStore
}

/** Dependencies of the root runs of a host. */
export interface RootRunsOptions {
  readonly store: RunStore | undefined
  readonly clock: Clock
  /** Returns a number from 0 to below 1. */
  random(): number
  readonly remembered: RememberedConversations
  readonly approvals: RememberedApprovals
}

/**
 * Dependencies and state that the root runs of a host share. They share the limiter, so that provider limits
 * apply to all of them together.
 */
export interface RootRunsContext extends RootRunsOptions {
  /** Id of the host in the leases of its root runs. */
  readonly owner: string
  readonly limiter: ProviderLimiter
  /** Approval gates of running root runs by run id. */
  readonly approvalGates: Map<string, ApprovalGateControl>
  /** The `once` calls of running root runs. */
  readonly onceCalls: Set<OpenOnceCalls>
  /** True if no further `once` call may start. */
  holdsOnceCalls: boolean
}

/** Creates the context of one host. */
export function createRootRunsContext(parts: RootRunsOptions): RootRunsContext {
  let owner: string | undefined
  return {
    ...parts,
    // Created on first use: most hosts of `check` run nothing, and the first random bytes of a process take
    // as long as reading ten cards.
    get owner() {
      return (owner ??= randomId('host'))
    },
    limiter: createProviderLimiter(parts),
    approvalGates: new Map(),
    onceCalls: new Set(),
    holdsOnceCalls: false,
  }
}
