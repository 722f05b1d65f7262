import type { ApprovalList } from '@troupe/client'
import { useEffect } from 'react'
import { APPROVALS } from '../api/queries.ts'
import { useRequest, type RequestState } from '../api/use-request.ts'
import { setOpenCount } from '../ui/page-head.tsx'

/** Polls the open approvals and shows their number in the window title. Polling on every page also detects a lost server. */
export function useOpenApprovals(): RequestState<ApprovalList> {
  const approvals = useRequest(APPROVALS, { everyMs: 3000, hiddenEveryMs: 15_000 })
  const total = approvals.value?.total ?? 0
  useEffect(() => setOpenCount(total), [total])
  return approvals
}
