import type { RootScope } from '@troupe/schema'

const MEBIBYTE = 1024 * 1024
/** Maximum bytes of all stored texts of a run tree. Beyond it the oldest are evicted. */
const MOST_BYTES = 64 * MEBIBYTE

/** Full texts of truncated tool results, stored until their run ends. */
export interface HeldResults {
  /** Stores a text and returns its handle, or `undefined` if the text is too large. */
  hold(text: string): string | undefined
  /** Returns the text in UTF-8, or `undefined` if the handle is unknown or the text was evicted. */
  read(handle: string): Uint8Array | undefined
  /** Removes all texts of this run. */
  release(): void
}

interface HeldText {
  readonly bytes: Uint8Array
  forget(): void
}

interface Shelf {
  readonly texts: Set<HeldText>
  size: number
}

const shelves = new WeakMap<RootScope, Shelf>()

/** Creates the store of one run. Runs cannot read each other's texts, but share the size limit. */
export function createHeldResults(root: RootScope): HeldResults {
  const shelf = shelfOf(root)
  const own = new Map<string, HeldText>()
  let count = 0

  return {
    hold(text) {
      const bytes = new TextEncoder().encode(text)
      if (bytes.length > MOST_BYTES) return undefined
      count += 1
      const handle = `r${count}`
      const held: HeldText = { bytes, forget: () => void own.delete(handle) }
      own.set(handle, held)
      put(shelf, held)
      return handle
    },
    read: (handle) => own.get(handle)?.bytes,
    release() {
      for (const held of own.values()) take(shelf, held)
    },
  }
}

function shelfOf(root: RootScope): Shelf {
  const known = shelves.get(root)
  if (known !== undefined) return known
  const shelf: Shelf = { texts: new Set(), size: 0 }
  shelves.set(root, shelf)
  return shelf
}

function put(shelf: Shelf, held: HeldText): void {
  shelf.texts.add(held)
  shelf.size += held.bytes.length
  for (const oldest of shelf.texts) {
    if (shelf.size <= MOST_BYTES) return
    take(shelf, oldest)
  }
}

function take(shelf: Shelf, held: HeldText): void {
  if (!shelf.texts.delete(held)) return
  shelf.size -= held.bytes.length
  held.forget()
}
