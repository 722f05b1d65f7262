import type { ApprovalList, Change } from '@troupe/client'
import { useEffect } from 'react'
import { APPROVALS } from '../api/queries.ts'
import { useRequest, type RequestState } from '../api/use-request.ts'
import { setOpenCount } from '../ui/page-head.tsx'

/** Returns the open approvals, with updates, and shows their number in the window title. */
export function useOpenApprovals(): RequestState<ApprovalList> {
  const approvals = useRequest(APPROVALS, { isStale: isOfApprovals, everyMs: 3000, hiddenEveryMs: 15_000 })
  const total = approvals.value?.total ?? 0
  useEffect(() => setOpenCount(total), [total])
  return approvals
}

function isOfApprovals({ type }: Change): boolean {
  return type === 'approvals'
}
