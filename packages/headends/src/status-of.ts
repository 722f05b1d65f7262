import type { ErrorCode, Failure, FailureClass } from '@troupe/schema'

const BY_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ['agent_unknown', 404],
  ['run_unknown', 404],
  ['session_unknown', 404],
  ['session_busy', 409],
  ['session_mismatch', 409],
  ['approval_unknown', 404],
  ['route_unknown', 404],
  ['tool_unknown', 404],
  ['method_unknown', 405],
  ['card_changed', 409],
  ['tool_name_conflict', 409],
  ['request_repeated', 409],
  ['store_locked', 409],
  ['run_not_resumable', 409],
  ['run_changed', 409],
  ['request_too_large', 413],
  ['request_media_type', 415],
  ['token_required', 401],
  ['server_busy', 503],
])

const BY_CLASS: Readonly<Record<FailureClass, number>> = {
  config: 400,
  auth: 502,
  timeout: 504,
  network: 502,
  model: 502,
  budget: 429,
  depth: 429,
  limit: 429,
  permission: 403,
  tool: 502,
  store: 503,
  cancelled: 503,
  internal: 500,
}

/** Returns the HTTP status of a failure, see docs/interface.md §6. */
export function statusOf({ code, class: kind }: Pick<Failure, 'code' | 'class'>): number {
  return BY_CODE.get(code) ?? BY_CLASS[kind]
}
