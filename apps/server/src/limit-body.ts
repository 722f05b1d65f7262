import { BodyTooLargeError } from '@troupe/headends'
import { failure, type Failure } from '@troupe/schema'

/**
 * Limits the body of a request. Returns a failure if its declared length is too large; without a declared
 * length, reading too large a body fails.
 */
export function limitBody(request: Request, maxBytes: number): Request | Failure {
  const length = request.headers.get('content-length')
  if (length !== null)
    return Number(length) > maxBytes ? failure('request_too_large', tooLarge(maxBytes)) : request
  if (request.headers.get('transfer-encoding') === null || request.body === null) return request
  const { signal, headers, method, url } = request
  return new Request(url, {
    method,
    headers,
    signal,
    body: request.body.pipeThrough(createByteLimit(maxBytes)),
    duplex: 'half',
  })
}

function createByteLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength
      if (seen > maxBytes) controller.error(new BodyTooLargeError(tooLarge(maxBytes)))
      else controller.enqueue(chunk)
    },
  })
}

function tooLarge(maxBytes: number): string {
  return `The body is larger than ${maxBytes} bytes.`
}
