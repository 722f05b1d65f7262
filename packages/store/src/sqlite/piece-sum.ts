import { crc32 } from 'node:zlib'

/** Where a text of a piece belongs. A sum counts it in, so that a whole text in a wrong place is found too. */
export interface PiecePlace {
  readonly root: number
  readonly lastSeq: number
}

/**
 * What a text of a piece is known by when it is read again. SQLite notices damage to its own order, and not a bit of a text that is another:
 * JSON mostly stays JSON. The sum is against disks and other programs, and nothing that a forger could not make.
 */
export function pieceSum(text: string, { root, lastSeq }: PiecePlace): number {
  return crc32(text, crc32(`${root} ${lastSeq}`))
}
