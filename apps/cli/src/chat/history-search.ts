import type { Key } from '../terminal/typing.ts'

/** Search for an earlier message, as Ctrl-R starts it. */
interface HistorySearch {
  readonly isOpen: boolean
  /** Handles a key. `line` is the line before the search. The first key opens the search. */
  onKey(key: Key, line: string): void
}

interface HistorySearchOptions {
  /** Returns the earlier messages, newest first. */
  history(): readonly string[]
  /** Shows a line with the prompt of the search, or with the usual one. */
  show(prompt: string | undefined, line: string): void
}

/**
 * Creates a search. Typing narrows it, Ctrl-R finds the next older message, Escape and Ctrl-C return to the line
 * before the search, and every other key takes the message.
 */
export function createHistorySearch({ history, show }: HistorySearchOptions): HistorySearch {
  let search: { query: string; at: number; readonly original: string } | undefined
  const close = (line: string): void => {
    search = undefined
    show(undefined, line)
  }
  return {
    get isOpen() {
      return search !== undefined
    },
    onKey({ text, name, ctrl }, line) {
      const current = (search ??= { query: '', at: -1, original: line })
      if (name === 'escape' || (ctrl && (name === 'c' || name === 'g'))) return close(current.original)
      const isNext = ctrl && name === 'r'
      if (isNext && current.query !== '') current.at = findEntry(history(), current.query, current.at + 1)
      else if (name === 'backspace' || text !== '') {
        current.query = name === 'backspace' ? current.query.slice(0, -1) : current.query + text
        current.at = findEntry(history(), current.query, 0)
      } else if (!isNext) return close(history()[current.at] ?? current.original)
      show(`search ${current.query}: `, history()[current.at] ?? '')
    },
  }
}

/** Returns the index of the first message from `start` on that contains the query, in any case; -1 without one. */
function findEntry(history: readonly string[], query: string, start: number): number {
  const wanted = query.toLowerCase()
  return history.findIndex((entry, index) => index >= start && entry.toLowerCase().includes(wanted))
}
