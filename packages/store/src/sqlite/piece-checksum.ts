import { crc32 } from 'node:zlib'

/**
 * Location of a piece. It is part of the checksum, so that an intact text in the wrong place is detected too.
 */
export interface PieceLocation {
  readonly root: number
  readonly lastSeq: number
}

/**
 * Computes the checksum of a text of a piece. SQLite detects damage to its own structure, but not a changed
 * bit in a text, which is usually still valid JSON. The checksum detects errors of disks and other programs,
 * not forgery.
 */
export function pieceChecksum(text: string, { root, lastSeq }: PieceLocation): number {
  return crc32(text, crc32(`${root} ${lastSeq}`))
}
