/** Resolves when the event loop turns: what happens until then goes out in one write. A model that is fast gives many pieces in one turn. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
