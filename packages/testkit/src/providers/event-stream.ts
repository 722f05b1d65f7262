import { crc32 } from 'node:zlib'

/** Encodes a message of the binary format `application/vnd.amazon.eventstream`. All headers are text. */
export function encodeEventStreamMessage(
  headers: Readonly<Record<string, string>>,
  payload: unknown,
): Uint8Array {
  const encodedHeaders = Buffer.concat(Object.entries(headers).map(encodeHeader))
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(16 + encodedHeaders.length + body.length, 0)
  prelude.writeUInt32BE(encodedHeaders.length, 4)
  const message = Buffer.concat([prelude, checksum(prelude), encodedHeaders, body])
  return Buffer.concat([message, checksum(message)])
}

const TEXT_VALUE = 7

function encodeHeader([name, value]: readonly [string, string]): Buffer {
  const text = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([TEXT_VALUE]),
    length,
    text,
  ])
}

function checksum(bytes: Buffer): Buffer {
  const result = Buffer.alloc(4)
  result.writeUInt32BE(crc32(bytes))
  return result
}
