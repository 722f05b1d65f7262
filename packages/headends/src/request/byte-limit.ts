import { BodyTooLargeError } from './read-json.ts'

/** Creates a stream that passes on a body, and fails with {@link BodyTooLargeError} if it is too large. */
export function createByteLimit(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.byteLength
      if (seen > maxBytes) controller.error(new BodyTooLargeError(bodyTooLarge(maxBytes)))
      else controller.enqueue(chunk)
    },
  })
}

/** Returns the message for a body that is larger than the limit. */
export function bodyTooLarge(maxBytes: number): string {
  return `The body is larger than ${maxBytes} bytes.`
}
