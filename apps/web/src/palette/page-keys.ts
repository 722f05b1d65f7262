/** Keys of one part of the page. */
export interface KeyGroup {
  readonly title: string
  /** The keys as they are shown, and what they do. */
  readonly keys: readonly (readonly [keys: string, meaning: string])[]
}

/** The keys that the help dialog shows. Each part of the page adds its own here. */
export const PAGE_KEYS: readonly KeyGroup[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K, ⌘ K', 'Open the command palette'],
      ['?', 'Show these keys'],
      ['Esc', 'Close a dialog'],
    ],
  },
  {
    title: 'Message',
    keys: [
      ['Enter', 'Send, or add to the queue while an answer is written'],
      ['Shift Enter', 'Start a new line'],
      ['Esc', 'Stop the answer'],
      ['↑', 'Bring back an earlier message, in an empty box'],
      ['Backspace', 'Remove the last file, in an empty box'],
      ['Ctrl Enter', 'Send an edited message'],
    ],
  },
  {
    title: 'List of conversations',
    keys: [
      ['↑ ↓', 'Go to the previous or next conversation'],
      ['Home, End', 'Go to the first or last conversation'],
      ['Enter', 'Open it'],
      ['F2', 'Rename it'],
      ['Del', 'Delete it'],
    ],
  },
]
