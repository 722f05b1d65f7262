import { isJsonObject, type ContentPart, type Json } from '@troupe/schema'
import { Download } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code/code-block.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Prose } from '../ui/prose.tsx'
import { HtmlView } from './html-view.tsx'
import { parseCsv } from './parse-csv.ts'
import { TableView } from './table-view.tsx'
import { contentText, decodeBase64, fileNameOf, mediaTypeOf, viewerOf } from './viewer-of.ts'

/** Shows a part of a tool result by its type: a picture, table, page, text or file. */
export function ContentView({
  part,
  url,
}: {
  readonly part: ContentPart
  /** Address of the part at the server, for pages of HTML; `undefined` if it is not stored. */
  readonly url?: string | undefined
}): ReactElement {
  switch (viewerOf(part)) {
    case 'picture':
      return <ImageView part={part} />
    case 'table':
      return <Table part={part} />
    case 'page':
      return <HtmlView source={contentText(part)} url={url} />
    case 'markdown':
      return <Prose text={contentText(part)} />
    case 'text':
      return <Text part={part} />
    default:
      return <FileLink part={part} />
  }
}

function Table({ part }: { readonly part: ContentPart }): ReactElement {
  const text = contentText(part)
  const isTabs = mediaTypeOf(part) === 'text/tab-separated-values'
  const table = parseCsv(text, isTabs ? '\t' : undefined)
  if (table === undefined) return <CodeBlock code={text} info={fileNameOf(part) ?? 'csv'} />
  return <TableView table={table} text={text} label={fileNameOf(part) ?? mediaTypeOf(part)} />
}

/** Longest text that is parsed as JSON, in characters. */
const MAX_JSON = 2_000_000

function Text({ part }: { readonly part: ContentPart }): ReactElement {
  const text = contentText(part)
  const json = toJson(text)
  if (json !== undefined) return <JsonView name="result" value={json} />
  return <CodeBlock code={text} info={fileNameOf(part)} />
}

/** Parses the text if it is a JSON object or list; otherwise returns `undefined`. */
function toJson(text: string): Json | undefined {
  if (text.length > MAX_JSON || !/^\s*[[{]/u.test(text)) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) || Array.isArray(value) ? value : undefined
  } catch {
    // A text that only looks like JSON.
    return undefined
  }
}

/** Shows a picture from its bytes, without a request. */
function ImageView({ part }: { readonly part: ContentPart }): ReactElement {
  const base64 = part.type === 'data' ? part.base64 : ''
  const mediaType = mediaTypeOf(part)
  const [url, setUrl] = useState<string>()
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const bytes = decodeBase64(base64)
    if (bytes === undefined) return setBroken(true)
    const created = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [base64, mediaType])
  return (
    <figure className="flex min-w-0 flex-col items-start gap-1.5">
      {url === undefined || isBroken ? null : (
        <img
          src={url}
          alt={fileNameOf(part) ?? 'Image from the tool'}
          className="max-h-96 max-w-full rounded-md border border-line bg-raised object-contain"
          onError={() => setBroken(true)}
        />
      )}
      <FileLink part={part} />
    </figure>
  )
}

const SIZE_UNITS = ['bytes', 'kB', 'MB'] as const

function sizeText(bytes: number): string {
  const power = Math.min(SIZE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${SIZE_UNITS[power]}`
}

/** Shows a button that saves a part as a file. */
function FileLink({ part }: { readonly part: ContentPart }): ReactElement {
  const base64 = part.type === 'data' ? part.base64 : ''
  const mediaType = mediaTypeOf(part)
  const name = fileNameOf(part) ?? `result.${/^[\w-]+\/(?:x-)?([a-z\d]{1,8})/u.exec(mediaType)?.[1] ?? 'bin'}`
  const save = (): void => {
    const bytes = decodeBase64(base64)
    if (bytes === undefined) return
    const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <div className="flex flex-wrap items-center gap-2 text-tiny text-muted">
      <span className="font-mono">{mediaType}</span>
      <span>{sizeText((base64.length * 3) / 4)}</span>
      <Button tone="quiet" size="small" onClick={save}>
        <Download aria-hidden="true" className="size-3.5" /> Save {name}
      </Button>
    </div>
  )
}
