/** True for what is read from the network and not from the disk; whether it may be is decided there. */
export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//iu.test(text)
}
