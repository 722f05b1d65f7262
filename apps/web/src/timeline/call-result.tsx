import { isJsonObject, type ContentPart, type Json } from '@troupe/schema'
import type { CallView } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { JsonView } from '../ui/json-view.tsx'

/** Shows the result of a call: its failure, or its content, with JSON as a tree. */
export function CallResult({ call }: { readonly call: CallView }): ReactElement | null {
  if (call.state !== 'done') return null
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {call.error === undefined ? null : <FailureNotice failure={call.error} />}
      {call.error === undefined
        ? (call.content ?? []).map((part, index) => <Part key={index} part={part} />)
        : null}
    </div>
  )
}

function Part({ part }: { readonly part: ContentPart }): ReactElement {
  if (part.type !== 'text') return <p className="text-small text-muted">{part.mediaType}</p>
  const json = toJson(part.text)
  if (json !== undefined) return <JsonView name="result" value={json} />
  return (
    <pre className="max-h-96 overflow-auto rounded-md bg-raised px-2.5 py-2 font-mono text-small break-words whitespace-pre-wrap">
      {part.text}
    </pre>
  )
}

/** Parses the text if it is a JSON object or list; otherwise returns `undefined`. */
function toJson(text: string): Json | undefined {
  if (!/^\s*[[{]/u.test(text)) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) || Array.isArray(value) ? value : undefined
  } catch {
    // A text that only looks like JSON.
    return undefined
  }
}
