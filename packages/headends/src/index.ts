export type {
  Caller,
  Headend,
  HeadendContext,
  HeadendExample,
  Operation,
  OperationTable,
  ServedPlace,
} from './headend.ts'
export { errorBody, errorResponse, type ErrorBody } from './error-response.ts'
export { BodyTooLargeError } from './read-json.ts'
export { statusOf } from './status-of.ts'
export { createRestHeadend } from './rest/create-rest-headend.ts'
