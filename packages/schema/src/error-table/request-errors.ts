/** Invalid requests to a Troupe server. */
export const REQUEST_ERRORS = {
  request_invalid: {
    class: 'config',
    title: 'The request was not understood',
    fix: 'Correct what the message names; `/openapi.json` describes every request.',
  },
  request_refused: {
    class: 'permission',
    title: 'The request is for another host, or comes from a page of another one',
    fix: 'Call the server by the address that it printed, or start it with `--allow-origin`.',
  },
  request_too_large: {
    class: 'limit',
    title: 'The request is too large',
    fix: 'Send less, or raise `server.maxBodyBytes`.',
  },
  request_media_type: {
    class: 'config',
    title: 'The body is not of a kind that is read here',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },
  request_repeated: {
    class: 'config',
    title: 'The key of this request stands for another one',
    fix: 'Use a new `Idempotency-Key` for every new request.',
  },
  route_unknown: {
    class: 'config',
    title: 'Nothing is served at this path',
    fix: 'See `/openapi.json` for what is.',
  },
  method_unknown: {
    class: 'config',
    title: 'The path does not take this method',
    fix: 'See the header `Allow`.',
  },
  token_required: {
    class: 'auth',
    title: 'The server wants a token that it knows',
    fix: 'Send it as `Authorization: Bearer <token>`.',
  },
  server_exposed: {
    class: 'config',
    title: 'The server would be open to the network without a token',
    fix: 'Give it a token with `--token`, or let it listen on 127.0.0.1.',
  },
  server_busy: {
    class: 'limit',
    title: 'The server has as much to do as it can',
    fix: 'Try again after the time that `Retry-After` names.',
  },
  rate_limited: {
    class: 'limit',
    title: 'The caller sent too many requests or wrong tokens, or has too many event streams open',
    fix: 'Try again after the time that `Retry-After` names.',
  },
  spending_limited: {
    class: 'limit',
    title: 'The principal has used up its tokens or money of this time window',
    fix: 'Try again after the time that `Retry-After` names, or raise `server.limits.spending`.',
  },
} as const
