/** Returns true for a URL, allowed or not. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//iu.test(text)
}
