import type { RunTreeContext } from '@troupe/schema'

const MEBIBYTE = 1024 * 1024
/** Maximum bytes of all stored texts of a run tree. Beyond it the oldest are evicted. */
const MOST_BYTES = 64 * MEBIBYTE

/** Full texts of truncated tool results, stored until their run ends. */
export interface FullTextStore {
  /** Stores a text and returns its handle, or `undefined` if the text is too large. */
  add(text: string): string | undefined
  /** Returns the text in UTF-8, or `undefined` if the handle is unknown or the text was evicted. */
  read(handle: string): Uint8Array | undefined
  /** Removes all texts of this run. */
  release(): void
}

interface StoredText {
  readonly bytes: Uint8Array
  evict(): void
}

interface RootTexts {
  readonly texts: Set<StoredText>
  size: number
}

const textsByRoot = new WeakMap<RunTreeContext, RootTexts>()

/** Creates the store of one run. Runs cannot read each other's texts, but share the size limit. */
export function createFullTextStore(root: RunTreeContext): FullTextStore {
  const shared = rootTextsOf(root)
  const own = new Map<string, StoredText>()
  let count = 0

  return {
    add(text) {
      const bytes = new TextEncoder().encode(text)
      if (bytes.length > MOST_BYTES) return undefined
      count += 1
      const handle = `r${count}`
      const held: StoredText = { bytes, evict: () => void own.delete(handle) }
      own.set(handle, held)
      addShared(shared, held)
      return handle
    },
    read: (handle) => own.get(handle)?.bytes,
    release() {
      for (const held of own.values()) removeShared(shared, held)
    },
  }
}

function rootTextsOf(root: RunTreeContext): RootTexts {
  const known = textsByRoot.get(root)
  if (known !== undefined) return known
  const shared: RootTexts = { texts: new Set(), size: 0 }
  textsByRoot.set(root, shared)
  return shared
}

function addShared(shared: RootTexts, held: StoredText): void {
  shared.texts.add(held)
  shared.size += held.bytes.length
  for (const oldest of shared.texts) {
    if (shared.size <= MOST_BYTES) return
    removeShared(shared, oldest)
  }
}

function removeShared(shared: RootTexts, held: StoredText): void {
  if (!shared.texts.delete(held)) return
  shared.size -= held.bytes.length
  held.evict()
}
