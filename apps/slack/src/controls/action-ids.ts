/** Action ids of the app's buttons. */
export const ACTION = {
  stop: 'troupe_stop',
  retry: 'troupe_retry',
  details: 'troupe_details',
  download: 'troupe_download',
  approve: 'troupe_approve',
  approveThread: 'troupe_approve_thread',
  deny: 'troupe_deny',
} as const
