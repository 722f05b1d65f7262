/** Cancelled and suspended runs, and internal errors. */
export const OTHER_ERRORS = {
  run_waiting: {
    class: 'cancelled',
    title: 'The run waits for a person',
    fix: 'Decide with `troupe runs approve RUN`; the run goes on.',
  },
  run_interrupted: {
    class: 'cancelled',
    title: 'The run was interrupted and can be resumed',
    fix: 'Resume it with `troupe run --resume RUN`.',
  },
  run_cancelled: { class: 'cancelled', title: 'The run was stopped', fix: 'Start it again.' },
  internal: {
    class: 'internal',
    title: 'An error in Troupe itself',
    fix: 'Please report it with the message.',
  },
} as const
