import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Arrivals, type Bytes, type BodySink } from './arrivals.ts'

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** Receiver of a body, and the buffer with its decoded bytes. */
export interface BodyPath {
  readonly sink: BodySink
  readonly arrivals: Arrivals
}

/**
 * Creates the path of a body and decodes it if necessary: some gateways compress without being asked.
 * `resume` is called when the sender may continue.
 */
export function bodyPath(encoding: string | undefined, resume: () => void): BodyPath {
  const decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.()
  if (decoder !== undefined) return unpack(decoder, resume)
  const arrivals = new Arrivals(resume)
  return { sink: arrivals, arrivals }
}

function unpack(decoder: Transform, resume: () => void): BodyPath {
  const arrivals = new Arrivals(() => decoder.resume())
  decoder.on('data', (piece: Bytes) => {
    if (!arrivals.push(piece)) decoder.pause()
  })
  decoder.on('end', () => arrivals.end({}))
  decoder.on('error', (cut) => arrivals.end({ cut }))
  decoder.on('drain', resume)
  const sink: BodySink = {
    push: (piece) => decoder.write(piece),
    end({ cut }) {
      if (cut === undefined) decoder.end()
      else decoder.destroy(toError(cut))
    },
  }
  return { sink, arrivals }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError('the line was cut', { cause: thrown })
}
