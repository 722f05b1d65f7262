import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { BodyBuffer, type Bytes, type BodySink } from './body-buffer.ts'

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** Receiver of a body, and the buffer with its decoded bytes. */
export interface BodyPipeline {
  readonly sink: BodySink
  readonly buffer: BodyBuffer
}

/**
 * Creates the path of a body and decodes it if necessary: some gateways compress without being asked.
 * `resume` is called when the sender may continue.
 */
export function createBodyPipeline(encoding: string | undefined, resume: () => void): BodyPipeline {
  const decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.()
  if (decoder !== undefined) return decodeBody(decoder, resume)
  const buffer = new BodyBuffer(resume)
  return { sink: buffer, buffer }
}

function decodeBody(decoder: Transform, resume: () => void): BodyPipeline {
  const buffer = new BodyBuffer(() => decoder.resume())
  decoder.on('data', (piece: Bytes) => {
    if (!buffer.push(piece)) decoder.pause()
  })
  decoder.on('end', () => buffer.end({}))
  decoder.on('error', (cut) => buffer.end({ cut }))
  decoder.on('drain', resume)
  const sink: BodySink = {
    push: (piece) => decoder.write(piece),
    end({ cut }) {
      if (cut === undefined) decoder.end()
      else decoder.destroy(toError(cut))
    },
  }
  return { sink, buffer }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError('the line was cut', { cause: thrown })
}
