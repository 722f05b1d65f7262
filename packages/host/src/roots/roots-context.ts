import { createProviderLimiter, randomId, type OpenOnceCalls, type OpenWaitingRoom } from '@troupe/core'
import type { Clock, ProviderLimiter, RunStore } from '@troupe/schema'
import type { RememberedAnswers } from '../approval/remembered-answers.ts'
import type { RememberedConversations } from '../conversation/remembered-conversations.ts'

/** What the roots of a host are made with. */
export interface RootsParts {
  readonly store: RunStore | undefined
  readonly clock: Clock
  /** 0 ≤ x < 1. */
  random(): number
  readonly remembered: RememberedConversations
  readonly answers: RememberedAnswers
}

/** What the roots of a host share: the limiter, so that limits of a provider hold across them, and nothing else of their work. */
export interface RootsContext extends RootsParts {
  /** The host, as the leases of its roots name it. */
  readonly owner: string
  readonly limiter: ProviderLimiter
  /** Of the roots at work that may wait for a person, by their ids. */
  readonly rooms: Map<string, OpenWaitingRoom>
  /** The `once` calls of the roots at work. */
  readonly onceCalls: Set<OpenOnceCalls>
  /** True if no `once` call may start any more. */
  holdsOnceCalls: boolean
}

/** For one host. */
export function rootsContext(parts: RootsParts): RootsContext {
  let owner: string | undefined
  return {
    ...parts,
    // most hosts of a check run nothing, and the first random bytes of a process cost as much as reading ten cards
    get owner() {
      return (owner ??= randomId('host'))
    },
    limiter: createProviderLimiter(parts),
    rooms: new Map(),
    onceCalls: new Set(),
    holdsOnceCalls: false,
  }
}
