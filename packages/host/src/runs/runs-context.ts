import { createProviderLimiter, randomId } from '@troupe/core'
import type { Clock } from '@troupe/schema'
import type { ProviderLimiter, RunStore, ValidateArguments } from '@troupe/schema/ports'
import type { RememberedApprovals } from '../approvals/remembered-approvals.ts'
import type { RememberedConversations } from '../conversations/remembered-conversations.ts'
import type { TeamSnapshots } from '../snapshot/team-snapshots.ts'
import { createLiveRuns, type LiveRuns } from './live-runs.ts'

/**
 * Dependencies and state that the runs of a host share. They share the limiter, so that provider limits apply
 * to all of them together.
 */
export interface RunsContext {
  readonly clock: Clock
  readonly validate: ValidateArguments
  readonly team: TeamSnapshots
  readonly store: RunStore | undefined
  readonly remembered: RememberedConversations
  readonly approvals: RememberedApprovals
  readonly limiter: ProviderLimiter
  readonly live: LiveRuns
  /** Id of the host in the leases of its root runs. */
  readonly owner: string
  /** Returns a number from 0 to below 1. */
  random(): number
  /** Throws `usage_invalid` if the host is closed. */
  requireOpen(): void
  /** Returns the store. Throws `usage_invalid` if there is none or the host is closed. */
  requireStore(): RunStore
}

/** Creates the context of one host. */
export function createRunsContext(parts: Omit<RunsContext, 'limiter' | 'live' | 'owner'>): RunsContext {
  let owner: string | undefined
  return {
    ...parts,
    limiter: createProviderLimiter(parts),
    live: createLiveRuns(),
    // Created on first use: most hosts of `check` run nothing, and the first random bytes of a process take
    // as long as reading ten cards.
    get owner() {
      return (owner ??= randomId('host'))
    },
  }
}
