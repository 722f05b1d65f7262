import { useState, type ReactElement } from 'react'

const LONG = 2000

/** Shows a JSON scalar in the colour of its type. Long strings are cut until a person expands them. */
export function JsonScalar({ value }: { readonly value: string | number | boolean | null }): ReactElement {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-warn">{String(value)}</span>
  if (value.length <= LONG || isWhole) return <span className="text-good">{JSON.stringify(value)}</span>
  return (
    <span className="text-good">
      {JSON.stringify(value.slice(0, LONG))}
      <button type="button" className="ml-2 text-accent hover:underline" onClick={() => setWhole(true)}>
        {value.length - LONG} letters more
      </button>
    </span>
  )
}
