import type { RootScope } from '@troupe/schema'

const MEBIBYTE = 1024 * 1024
/** Of all runs of one root; beyond it the oldest text is forgotten. */
const MOST_BYTES = 64 * MEBIBYTE

/** The whole texts of results that were too long for the model, while their run lasts. */
export interface HeldResults {
  /** Keeps a text; the answer is its handle. Undefined for one that is too large to be kept. */
  hold(text: string): string | undefined
  /** The text in UTF-8; undefined when there is none of that handle, or none any more. */
  read(handle: string): Uint8Array | undefined
  /** Forgets all of this run. */
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

/** An empty keep for one run: no other run reads from it, but all runs of a root share the room. */
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
