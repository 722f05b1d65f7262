/** Cancelled and suspended runs, and internal errors. */
export const OTHER_ERRORS = {
  run_waiting: {
    class: 'cancelled',
    title: 'The run is waiting for an approval or an answer',
    fix: 'Decide with `troupe runs approve RUN`; the run then continues.',
  },
  run_interrupted: {
    class: 'cancelled',
    title: 'The run was interrupted and can be resumed',
    fix: 'Resume it with `troupe run --resume RUN`.',
  },
  run_cancelled: { class: 'cancelled', title: 'The run was stopped', fix: 'Start it again.' },
  internal: {
    class: 'internal',
    title: 'An internal error in Troupe',
    fix: 'Report it with the message.',
  },
} as const
