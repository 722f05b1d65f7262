import type { ApprovalList } from '@troupe/headends'
import { useEffect } from 'react'
import { APPROVALS_PATH } from '../api/runs.ts'
import { useRequest, type RequestState } from '../api/use-request.ts'
import { setOpenCount } from '../ui/window-title.ts'

/** Polls the open approvals and shows their number in the window title. Polling on every page also detects a lost server. */
export function useOpenApprovals(): RequestState<ApprovalList> {
  const approvals = useRequest<ApprovalList>(APPROVALS_PATH, { everyMs: 3000, hiddenEveryMs: 15_000 })
  const total = approvals.value?.total ?? 0
  useEffect(() => setOpenCount(total), [total])
  return approvals
}
