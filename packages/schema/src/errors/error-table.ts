import { CARD_ERRORS } from './card-errors.ts'
import { CONFIG_ERRORS } from './config-errors.ts'
import { LIMIT_ERRORS } from './limit-errors.ts'
import { CONNECTION_ERRORS, MODEL_ERRORS } from './model-errors.ts'
import { REQUEST_ERRORS } from './request-errors.ts'
import { STORE_ERRORS } from './store-errors.ts'
import { PERMISSION_ERRORS, TOOL_ERRORS } from './tool-errors.ts'

/** Failure classes. The class decides who can fix the failure. */
export const FAILURE_CLASSES = [
  'config',
  'auth',
  'timeout',
  'network',
  'model',
  'budget',
  'depth',
  'limit',
  'permission',
  'tool',
  'store',
  'cancelled',
  'internal',
] as const

/** See {@link FAILURE_CLASSES}. */
export type FailureClass = (typeof FAILURE_CLASSES)[number]

/** Cancelled and suspended runs, and internal errors. */
const OTHER_ERRORS = {
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

/** All error codes with class, title and fix. Codes are pinned, because clients match on them. */
export const ERRORS: typeof CARD_ERRORS &
  typeof CONFIG_ERRORS &
  typeof CONNECTION_ERRORS &
  typeof MODEL_ERRORS &
  typeof LIMIT_ERRORS &
  typeof PERMISSION_ERRORS &
  typeof TOOL_ERRORS &
  typeof STORE_ERRORS &
  typeof REQUEST_ERRORS &
  typeof OTHER_ERRORS = {
  ...CARD_ERRORS,
  ...CONFIG_ERRORS,
  ...CONNECTION_ERRORS,
  ...MODEL_ERRORS,
  ...LIMIT_ERRORS,
  ...PERMISSION_ERRORS,
  ...TOOL_ERRORS,
  ...STORE_ERRORS,
  ...REQUEST_ERRORS,
  ...OTHER_ERRORS,
}

/** A code of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS
