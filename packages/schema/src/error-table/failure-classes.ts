/** The classes of failure (R5): who can do something about it. */
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
