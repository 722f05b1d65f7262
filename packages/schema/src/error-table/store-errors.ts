/** Failures of the run store. */
export const STORE_ERRORS = {
  audit_failed: {
    class: 'store',
    title: 'The record of a call cannot be kept',
    fix: 'Make room, or name another file with `--audit`.',
  },
  store_locked: { class: 'store', title: 'Another process owns the run', fix: 'Wait for it or stop it.' },
  store_full: { class: 'store', title: 'The store cannot be written', fix: 'Free some space.' },
  run_unknown: {
    class: 'store',
    title: 'The store holds no such run',
    fix: 'See `troupe runs list`.',
  },
  run_not_resumable: {
    class: 'store',
    title: 'The run cannot be resumed',
    fix: 'Run it again from its beginning.',
  },
  run_changed: {
    class: 'store',
    title: 'A card has changed since the run was interrupted',
    fix: 'Put the card back, or resume with `--accept-changes`.',
  },
  store_lease_lost: {
    class: 'store',
    title: 'Another process has taken over the run',
    fix: 'Follow the run there; this process had given no sign of life for too long.',
  },
  store_unavailable: {
    class: 'store',
    title: 'The store cannot be opened',
    fix: 'Check the path and its permissions, or go on without a store.',
  },
  store_corrupt: {
    class: 'store',
    title: 'The file is no store of runs, or it is damaged',
    fix: 'Move it away, or name another file.',
  },
  store_newer: {
    class: 'store',
    title: 'The store was written by a later version',
    fix: 'Update Troupe, or name another file.',
  },
} as const
