/** Returns a random id for a new conversation. `crypto.randomUUID` is not available on a page without TLS. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `chat_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
