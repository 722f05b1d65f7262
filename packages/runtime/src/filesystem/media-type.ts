/** Magic bytes of the file types that models can view. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\u0089PNG\r\n\u001A\n'],
  ['image/jpeg', 0, '\u00FF\u00D8\u00FF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF-'],
]

/**
 * Returns the media type of an image or PDF, detected from its first bytes and never from its name. Returns
 * `undefined` for anything else.
 */
export function mediaTypeOf(bytes: Buffer): string | undefined {
  const found = SIGNATURES.find(
    ([, at, signature]) => bytes.toString('latin1', at, at + signature.length) === signature,
  )
  return found?.[0]
}
