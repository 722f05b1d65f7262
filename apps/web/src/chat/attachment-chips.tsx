import { FileText, X } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import { isImageType, sizeText, type PendingFile } from './attachments.ts'

/** Shows the files of a message, images as previews. With `onRemove`, each has a button. */
export function AttachmentChips({
  files,
  onRemove,
}: {
  readonly files: readonly PendingFile[]
  readonly onRemove?: (id: string) => void
}): ReactElement | null {
  if (files.length === 0) return null
  return (
    <ul aria-label="Files" className="flex flex-wrap gap-2">
      {files.map((file) => (
        <li
          key={file.id}
          className="flex h-11 max-w-60 items-center gap-2 overflow-hidden rounded-lg border border-line bg-raised pr-1 pl-1 text-tiny"
        >
          {isImageType(file.mediaType) ? (
            <Preview file={file} />
          ) : (
            <FileText aria-hidden="true" className="ml-1 size-4 shrink-0 text-muted" />
          )}
          <span className="flex min-w-0 flex-col pr-1">
            <span dir="auto" className="truncate font-medium text-ink">
              {file.name}
            </span>
            <span className="text-muted tabular">{sizeText(file.size)}</span>
          </span>
          {onRemove === undefined ? null : (
            <button
              type="button"
              aria-label={`Remove ${file.name}`}
              onClick={() => onRemove(file.id)}
              className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:text-ink pointer-coarse:size-11"
            >
              <X aria-hidden="true" className="size-3.5" />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Shows an image from an address that is valid while it is shown. */
function Preview({ file }: { readonly file: PendingFile }): ReactElement {
  const { data, mediaType } = file
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [data, mediaType])
  return (
    <span className="size-9 shrink-0 overflow-hidden rounded-md bg-panel">
      {url === undefined ? null : <img src={url} alt="" className="size-full object-cover" />}
    </span>
  )
}
