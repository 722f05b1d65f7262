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
