import type { AgentProblem } from '@troupe/client'
import { useEffect, useImperativeHandle, useRef, useState, type ReactElement, type Ref } from 'react'
import { Notice } from '../ui/notice.tsx'
import type { CodeView, CodeViewOptions } from './code-view.ts'

/** Functions of a mounted editor. */
export type CodeEditorHandle = Pick<CodeView, 'setText' | 'goTo'>

/** Shows a text editor with syntax colours, completion and underlined problems. It is loaded when it is shown. */
export function CodeEditor({
  ref,
  initialText,
  problems,
  isReadOnly,
  onChange,
  onSave,
  complete,
}: {
  readonly ref: Ref<CodeEditorHandle>
  readonly initialText: string
  readonly problems: readonly AgentProblem[]
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
  readonly onSave: () => void
  readonly complete: CodeViewOptions['complete']
}): ReactElement {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<CodeView>(undefined)
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading')
  // The editor is created once and calls the functions of the last render.
  const latest = useRef({ initialText, onChange, onSave, complete })
  latest.current = { ...latest.current, onChange, onSave, complete }
  useEffect(() => {
    let isGone = false
    import('./code-view.ts').then(
      ({ createCodeView }) => {
        if (isGone || host.current === null) return
        view.current = createCodeView(host.current, {
          text: latest.current.initialText,
          isReadOnly,
          onChange: (text) => latest.current.onChange(text),
          onSave: () => latest.current.onSave(),
          complete: (text, offset) => latest.current.complete(text, offset),
        })
        setState('shown')
      },
      () => setState('failed'),
    )
    return () => {
      isGone = true
      view.current?.destroy()
      view.current = undefined
    }
  }, [isReadOnly])
  // A text stays the same array element by element, so compare by content.
  const shown = JSON.stringify(problems)
  useEffect(() => {
    if (state === 'shown') view.current?.showProblems(JSON.parse(shown) as readonly AgentProblem[])
  }, [shown, state])
  useImperativeHandle(ref, () => ({
    setText: (text) => view.current?.setText(text),
    goTo: (line, column) => view.current?.goTo(line, column),
  }))
  return (
    <>
      {state === 'failed' ? (
        <Notice tone="bad">The editor could not be loaded. Reload the page.</Notice>
      ) : null}
      <div
        ref={host}
        data-editor=""
        className="h-[min(70dvh,46rem)] min-h-72 overflow-hidden rounded-md border border-line bg-panel outline-accent focus-within:outline-2"
      />
    </>
  )
}
