import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** The body as it was before it was packed. Nothing is asked for packed, but some gateways do not ask. */
export function decodedBody(incoming: IncomingMessage): Readable {
  const decoder = DECODERS.get(incoming.headers['content-encoding']?.toLowerCase() ?? '')?.()
  if (decoder === undefined) return incoming
  return pipeline(incoming, decoder, () => {
    // the decoder tells the error itself
  })
}
