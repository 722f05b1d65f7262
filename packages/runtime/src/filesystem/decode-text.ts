const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of bytes in UTF-8, without byte order mark; undefined for anything else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    // not UTF-8, so the caller takes it for binary
    return undefined
  }
}
