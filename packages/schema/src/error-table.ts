import { CARD_ERRORS } from './error-table/card-errors.ts'
import { CONFIG_ERRORS } from './error-table/config-errors.ts'
import { CONNECTION_ERRORS } from './error-table/connection-errors.ts'
import { LIMIT_ERRORS } from './error-table/limit-errors.ts'
import { MODEL_ERRORS } from './error-table/model-errors.ts'
import { OTHER_ERRORS } from './error-table/other-errors.ts'
import { PERMISSION_ERRORS } from './error-table/permission-errors.ts'
import { REQUEST_ERRORS } from './error-table/request-errors.ts'
import { STORE_ERRORS } from './error-table/store-errors.ts'
import { TOOL_ERRORS } from './error-table/tool-errors.ts'

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
