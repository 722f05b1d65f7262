/** Media types of texts. */
export const TEXT_TYPES = ['text/plain', 'application/json'] as const

/** Media types of files that are passed on to the model. */
const FILE_TYPES = [
  'text/markdown',
  'text/csv',
  'text/html',
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'audio/wav',
  'audio/mpeg',
  'application/pdf',
] as const

/** Media types that agents accept. */
export const INPUT_TYPES: readonly string[] = [...TEXT_TYPES, ...FILE_TYPES]
