import { useEffect, useRef } from 'react'

/** An action of the page that is shown, for the command palette. */
export interface PageAction {
  readonly id: string
  readonly label: string
  /** Keys that do the same, such as `Esc`. */
  readonly keys?: string
  run(): void
}

const sources = new Map<symbol, () => readonly PageAction[]>()

/** Offers actions in the command palette while the component is shown. */
export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const source = Symbol('actions')
    sources.set(source, () => latest.current)
    return () => void sources.delete(source)
  }, [])
}

/** Returns the actions that can be done now, those of the innermost part of the page first. */
export function currentActions(): readonly PageAction[] {
  return [...sources.values()].toReversed().flatMap((actions) => actions())
}
