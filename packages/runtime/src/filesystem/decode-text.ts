const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8 without its byte order mark. Returns `undefined` if the bytes are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    // Not UTF-8, so callers treat it as binary.
    return undefined
  }
}
