import { useDeferredValue, useMemo, useState, type Dispatch, type SetStateAction } from 'react'
import { searchRows } from '../waterfall/search.ts'
import type { WaterfallTree } from '../waterfall/timeline-node.ts'
import { failedKeys, nextKey, reveal, visibleRows, withAncestors } from '../waterfall/visible-rows.ts'
import type { VisibleRow } from '../waterfall/visible-rows.ts'

/** The keys of runs that are closed and of groups that are open, and the function that changes them. */
export type ToggledRows = readonly [ReadonlySet<string>, Dispatch<SetStateAction<ReadonlySet<string>>>]

/** Keeps which rows are open. */
export function useToggledRows(): ToggledRows {
  return useState<ReadonlySet<string>>(() => new Set())
}

/** The rows of a timeline, and what changes which are shown. */
export interface TimelineRows {
  readonly tree: WaterfallTree
  readonly rows: readonly VisibleRow[]
  toggle(key: string): void
  /** Opens the rows above. */
  reveal(keys: readonly string[]): void
  /** The runs and calls without an answer. */
  readonly errors: readonly string[]
  readonly isErrorsOnly: boolean
  setErrorsOnly(isErrorsOnly: boolean): void
  readonly query: string
  setQuery(query: string): void
  readonly hits: readonly string[]
  readonly hitSet: ReadonlySet<string>
  /** Returns the key after the selected row, or before it; `undefined` for no keys. */
  next(keys: readonly string[], selected: string | undefined, by?: 1 | -1): string | undefined
}

/** Returns the rows of a run tree. Which rows are open is kept while events arrive. */
export function useTimelineRows(tree: WaterfallTree, [toggled, setToggled]: ToggledRows): TimelineRows {
  const [isErrorsOnly, setErrorsOnly] = useState(false)
  const [query, setQuery] = useState('')
  const searched = useDeferredValue(query)
  const errors = useMemo(() => failedKeys(tree), [tree])
  const hits = useMemo(() => searchRows(tree, searched), [tree, searched])
  const hitSet = useMemo(() => new Set(hits), [hits])
  const isFiltered = isErrorsOnly && errors.length > 0
  const rows = useMemo(
    () => visibleRows(tree, { toggled, only: isFiltered ? withAncestors(tree, errors) : undefined }),
    [tree, toggled, isFiltered, errors],
  )
  return {
    tree,
    rows,
    toggle: (key) =>
      setToggled((before) => {
        const after = new Set(before)
        if (!after.delete(key)) after.add(key)
        return after
      }),
    reveal(keys) {
      if (isErrorsOnly && keys.some((key) => !errors.includes(key))) setErrorsOnly(false)
      setToggled((before) => reveal(tree, keys, before))
    },
    errors,
    isErrorsOnly: isFiltered,
    setErrorsOnly,
    query,
    setQuery,
    hits,
    hitSet,
    next: (keys, selected, by = 1) => nextKey(tree, keys, { selected, by }),
  }
}
