/** Failures of the run store. */
export const STORE_ERRORS = {
  audit_failed: {
    class: 'store',
    title: 'The audit record of a call cannot be written',
    fix: 'Free disk space, or choose another file with `--audit`.',
  },
  store_locked: {
    class: 'store',
    title: 'Another process owns the run',
    fix: 'Wait until that process has finished with the run, or stop the process.',
  },
  approval_elsewhere: {
    class: 'store',
    title: 'The run waits for its answer in another process',
    fix: 'Answer there: at its terminal, in its client, or on the page of its server.',
  },
  store_full: { class: 'store', title: 'The store cannot be written', fix: 'Free disk space.' },
  run_unknown: {
    class: 'store',
    title: 'The store does not have this run',
    fix: 'List the runs with `troupe runs list`.',
  },
  run_exists: {
    class: 'store',
    title: 'The store already has a run with this id',
    fix: 'Start the run with another id.',
  },
  run_not_resumable: {
    class: 'store',
    title: 'The run cannot be resumed',
    fix: 'Start it again from the beginning.',
  },
  run_changed: {
    class: 'store',
    title: 'A card has changed since the run was interrupted',
    fix: 'Restore the card, or resume with `--accept-changes`.',
  },
  store_lease_lost: {
    class: 'store',
    title: 'Another process has taken over the run',
    fix: 'Follow the run in that process; this process did not renew its lease in time.',
  },
  store_unavailable: {
    class: 'store',
    title: 'The store cannot be opened',
    fix: 'Check the path and its permissions, or run without a store.',
  },
  store_corrupt: {
    class: 'store',
    title: 'The file is not a run store, or it is damaged',
    fix: 'Move it elsewhere, or choose another file.',
  },
  store_newer: {
    class: 'store',
    title: 'The store was written by a newer version',
    fix: 'Update Troupe, or choose another file.',
  },
} as const
