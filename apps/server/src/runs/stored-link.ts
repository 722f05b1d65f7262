import {
  createApprovalLink,
  createApprovalTracker,
  linkUrl,
  LINK_LIFETIME_MS,
  type ApprovalLinkRequest,
} from '@troupe/headends'
import type { Clock } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { addNote, publicStore } from './served-runner.ts'

/** A request for a link to an approval of a stored run. */
export interface StoredLinkRequest extends Pick<
  ApprovalLinkRequest,
  'runId' | 'principal' | 'approvalId' | 'sentTo'
> {
  /** Address of the page of a server that uses the same store, without a trailing slash. */
  readonly page: string
}

/**
 * Creates a link with which its holder decides once on a call, for a program that does not serve the run. Rejects
 * with `approval_unknown`, `run_unknown`, or `store_locked` while a process runs it.
 */
export async function createStoredLink(
  { page, ...request }: StoredLinkRequest,
  {
    store,
    clock,
    newId,
  }: {
    readonly store: RunStore
    readonly clock: Clock
    /** Returns a unique id for the writer of the link. */
    newId(): string
  },
): Promise<{ readonly url: string; readonly expiresAt: number }> {
  const shown = publicStore(store)
  const { token, expiresAt } = await createApprovalLink(
    { ...request, decisions: ['approved', 'denied'], lifetime: LINK_LIFETIME_MS },
    {
      store: shown,
      approvals: createApprovalTracker(shown),
      clock,
      host: { addNote: (runId, note) => addNote(store, { runId, note, owner: newId() }) },
    },
  )
  return { url: linkUrl(page, token), expiresAt }
}
