import { useEffect, type RefObject } from 'react'

/** The actions of the keys and the buttons of the timeline. */
export interface TimelineActions {
  focusSearch(): void
  /** Clears the search and focuses the selected row. */
  leaveSearch(): void
  nextHit(by: 1 | -1): void
  nextError(): void
  togglePath(): void
  /** Fits the selected row. */
  fitSelected(): void
  showKeys(): void
  zoomBy(factor: number): void
  panBy(part: number): void
  showAll(): void
}

/** A key of the timeline, for the table of keys. */
export interface TimelineKey {
  readonly keys: string
  readonly effect: string
}

/** The keys of the timeline. */
export const TIMELINE_KEYS: readonly TimelineKey[] = [
  { keys: '↑ ↓ Home End', effect: 'Move between rows' },
  { keys: '→ ←', effect: 'Open or close a row, or go to the row below or above it' },
  { keys: 'Enter', effect: 'Show the details of the row' },
  { keys: '/', effect: 'Search in inputs, calls, results and answers' },
  { keys: 'Enter, Shift+Enter', effect: 'In the search: go to the next or previous hit' },
  { keys: 'Esc', effect: 'Clear the search' },
  { keys: 'n, N', effect: 'Go to the next or previous hit' },
  { keys: 'e', effect: 'Go to the next error' },
  { keys: 's', effect: 'Mark the slowest path and go to its longest part' },
  { keys: '+ −', effect: 'Zoom in and out; also Ctrl or ⌘ with the wheel, or two fingers' },
  { keys: 'a d', effect: 'Move left and right; also Shift with the wheel' },
  { keys: 'f', effect: 'Fit the selected row, or show all if it already fits; also a double click' },
  { keys: '0', effect: 'Show all' },
  { keys: '?', effect: 'Show the keys' },
]

/**
 * Calls the actions for their keys while the focus is in the timeline, or with `isPage` while nothing has the
 * focus. Keys in text fields, with modifiers and in dialogs are left alone.
 */
export function useTimelineKeys(
  element: RefObject<HTMLElement | null>,
  actions: TimelineActions,
  isPage: boolean,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return
      const { target } = event
      if (!(target instanceof HTMLElement) || isTextField(target)) return
      const isInside = element.current?.contains(target) ?? false
      if (!isInside && !(isPage && target === document.body)) return
      const action = actionOf(event, actions)
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [element, actions, isPage])
}

function isTextField(target: HTMLElement): boolean {
  return target.isContentEditable || target.matches('input, textarea, select')
}

function actionOf(
  { key, code, shiftKey }: KeyboardEvent,
  actions: TimelineActions,
): (() => void) | undefined {
  // The keys for moving are chosen by their place, so that they are side by side on each keyboard.
  if (code === 'KeyA' && !shiftKey) return () => actions.panBy(-0.25)
  if (code === 'KeyD' && !shiftKey) return () => actions.panBy(0.25)
  switch (key) {
    case '/':
      return actions.focusSearch
    case 'n':
      return () => actions.nextHit(1)
    case 'N':
      return () => actions.nextHit(-1)
    case 'e':
      return actions.nextError
    case 's':
      return actions.togglePath
    case 'f':
      return actions.fitSelected
    case '+':
    case '=':
      return () => actions.zoomBy(1.5)
    case '-':
      return () => actions.zoomBy(1 / 1.5)
    case '0':
      return actions.showAll
    case '?':
      return actions.showKeys
    case 'Escape':
      return actions.leaveSearch
    default:
      return undefined
  }
}
