/** Invalid requests to a Troupe server. */
export const REQUEST_ERRORS = {
  request_invalid: {
    class: 'config',
    title: 'The request is not valid',
    fix: 'Correct the request; `/openapi.json` describes every request.',
  },
  request_refused: {
    class: 'permission',
    title: 'The `Host` or `Origin` of the request is not allowed',
    fix: 'Use the address that the server printed, or start the server with `--allow-origin`.',
  },
  request_too_large: {
    class: 'limit',
    title: 'The request is too large',
    fix: 'Send less, or raise `server.limits.maxBodyBytes`.',
  },
  request_media_type: {
    class: 'config',
    title: 'The media type of the body is not supported',
    fix: 'Send JSON with `Content-Type: application/json`.',
  },
  request_repeated: {
    class: 'config',
    title: 'The `Idempotency-Key` belongs to another request',
    fix: 'Use a new `Idempotency-Key` for each new request.',
  },
  route_unknown: {
    class: 'config',
    title: 'Nothing is served at this path',
    fix: 'See `/openapi.json` for all paths.',
  },
  method_unknown: {
    class: 'config',
    title: 'The path does not support this method',
    fix: 'See the `Allow` header.',
  },
  embedding_model_unknown: {
    class: 'config',
    title: 'The server does not serve this embedding model',
    fix: 'Add its id, such as `openai/text-embedding-3-small`, to `server.embeddings` in troupe.json.',
  },
  token_required: {
    class: 'auth',
    title: 'The server requires a valid token',
    fix: 'Send it as `Authorization: Bearer <token>`.',
  },
  operator_required: {
    class: 'permission',
    title: 'Only an operator of the server may do this',
    fix: 'Send a token of an operator, such as one of the principal `local`.',
  },
  role_required: {
    class: 'permission',
    title: 'The role of the caller does not allow this',
    fix: 'Ask the operator of the server for a role that allows it.',
  },
  scope_required: {
    class: 'permission',
    title: 'The token lacks a scope',
    fix: 'Log in again, and request the scopes in `WWW-Authenticate`.',
  },
  identity_unavailable: {
    class: 'network',
    title: 'The identity provider of the server cannot be used',
    fix: 'Try again after the time in `Retry-After`. The log of the server has the reason.',
  },
  signature_invalid: {
    class: 'auth',
    title: 'The signature of a webhook is missing or wrong',
    fix: 'Sign the body with the secret of the hook, and send the signature together with the current time.',
  },
  server_exposed: {
    class: 'config',
    title: 'The server would be reachable from the network without a token',
    fix: 'Set a token with `--token`, or listen on 127.0.0.1.',
  },
  server_busy: {
    class: 'limit',
    title: 'The server is at capacity',
    fix: 'Try again after the time in `Retry-After`.',
  },
  rate_limited: {
    class: 'limit',
    title: 'The caller sent too many requests or wrong tokens, or has too many event streams open',
    fix: 'Try again after the time in `Retry-After`.',
  },
  spending_limited: {
    class: 'limit',
    title: 'The principal has used all of its tokens or money in this time window',
    fix: 'Try again after the time in `Retry-After`, or raise `server.limits.spending`.',
  },
} as const
