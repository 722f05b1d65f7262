import { useEffect, useRef, useState, type ReactElement } from 'react'
import { MAX_DIAGRAM, type DiagramReply, type DiagramRequest } from '../../diagram/messages.ts'
import { Button } from '../button.tsx'
import { useIsDark } from '../use-is-dark.ts'
import { CodeBlock } from './code-block.tsx'

/** Height of a diagram before its size is known, in px. */
const FIRST_HEIGHT = 160

/** Shows a diagram in Mermaid's language, drawn in a sandboxed frame, or its code. */
export function Diagram({ code }: { readonly code: string }): ReactElement {
  const [isCode, setCode] = useState(false)
  const [failure, setFailure] = useState<string>()
  if (code.length > MAX_DIAGRAM) return <CodeBlock code={code} info="mermaid" />
  if (failure !== undefined)
    return (
      <div className="flex min-w-0 flex-col gap-1.5">
        <CodeBlock code={code} info="mermaid" />
        <p className="text-small text-muted">The diagram cannot be drawn: {failure}</p>
      </div>
    )
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      {isCode ? (
        <CodeBlock code={code} info="mermaid" />
      ) : (
        <DiagramFrame code={code} onFailure={setFailure} />
      )}
      <Button className="self-start" aria-pressed={isCode} onClick={() => setCode(!isCode)}>
        {isCode ? 'Show diagram' : 'Show code'}
      </Button>
    </div>
  )
}

function DiagramFrame({
  code,
  onFailure,
}: {
  readonly code: string
  readonly onFailure: (message: string) => void
}): ReactElement {
  const frame = useRef<HTMLIFrameElement>(null)
  const [size, setSize] = useState<{ readonly width: number; readonly height: number }>()
  const [isReady, setReady] = useState(false)
  const isDark = useIsDark()
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<DiagramReply>): void => {
      if (source === null || source !== frame.current?.contentWindow) return
      if (data.kind === 'ready') setReady(true)
      else if (data.kind === 'failed') onFailure(data.message)
      else setSize({ width: data.width, height: data.height })
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [onFailure])
  useEffect(() => {
    const request: DiagramRequest = { text: code, isDark }
    // The frame has no origin that could be named here.
    if (isReady) frame.current?.contentWindow?.postMessage(request, '*')
  }, [code, isDark, isReady])
  return (
    <iframe
      ref={frame}
      src="diagram.html"
      title="Diagram"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      className="w-full rounded-md border border-line"
      style={
        size === undefined
          ? { height: FIRST_HEIGHT }
          : { aspectRatio: `${size.width} / ${size.height}`, maxWidth: size.width }
      }
    />
  )
}
