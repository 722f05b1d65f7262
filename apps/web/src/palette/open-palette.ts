const requests = new EventTarget()
const OPEN = 'open'

/** Opens the command palette, as its keys do. */
export function openPalette(): void {
  requests.dispatchEvent(new Event(OPEN))
}

/** Calls `open` for each request to open the command palette. Returns a function that removes it. */
export function onOpenPalette(open: () => void): () => void {
  requests.addEventListener(OPEN, open)
  return () => requests.removeEventListener(OPEN, open)
}
