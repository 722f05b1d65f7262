import { useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code/code-block.tsx'

/**
 * Shows HTML as its source, and on request as a page in a sandboxed frame. The frame loads it from the server,
 * whose policy forbids scripts, forms and requests; a policy of this page would also forbid its styles.
 */
export function HtmlView({
  source,
  url,
}: {
  readonly source: string
  readonly url: string | undefined
}): ReactElement {
  const [isPage, setPage] = useState(false)
  if (url === undefined) return <CodeBlock code={source} info="html" />
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {isPage ? (
        <iframe
          src={url}
          title="Page from the tool"
          sandbox=""
          referrerPolicy="no-referrer"
          className="h-96 w-full rounded-md border border-line bg-white"
        />
      ) : (
        <CodeBlock code={source} info="html" />
      )}
      <Button className="self-start" aria-pressed={isPage} onClick={() => setPage(!isPage)}>
        {isPage ? 'Show source' : 'Show page'}
      </Button>
    </div>
  )
}
