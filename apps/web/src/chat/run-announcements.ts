import { useEffect, useRef } from 'react'
import { rootOf, type RunViewState } from '../reducers/run-view-state.ts'
import { announce, announceError } from '../ui/announcer.tsx'

/** Longest answer that is read out as a whole, in characters. */
const SHORT_ANSWER = 300

/** A text for screen readers. */
interface RunAnnouncement {
  readonly kind: 'status' | 'error'
  readonly text: string
}

/**
 * Returns the text for the current state of a run: that it works, an approval or question, the answer if it is
 * short, its length otherwise, or the error.
 */
export function runAnnouncement(viewState: RunViewState, isLost: boolean): RunAnnouncement | undefined {
  if (isLost) return { kind: 'error', text: 'The connection is lost.' }
  const approval = viewState.timeline.runs.flatMap(({ approvals }) => approvals)[0]
  const root = rootOf(viewState)
  if (root?.state !== 'done' && approval !== undefined)
    return {
      kind: 'status',
      text:
        approval.asks === undefined
          ? `Asks for approval: ${approval.toolName}`
          : `Asks: ${approval.asks.question}`,
    }
  if (root?.state !== 'done') return { kind: 'status', text: 'Working' }
  if (root.error !== undefined && root.error.code !== 'run_cancelled')
    return { kind: 'error', text: root.error.message }
  return { kind: 'status', text: answerText(root.output?.text ?? '') }
}

function answerText(answer: string): string {
  if (answer.trim() === '') return 'Stopped without an answer.'
  if (answer.length <= SHORT_ANSWER) return answer
  const words = answer.split(/\s+/u).filter((word) => word !== '').length
  return `Answer complete, ${words} words`
}

/** Lets screen readers read out what happens in a run that is active while it is shown. */
export function useRunAnnouncements(viewState: RunViewState, isLive: boolean, isLost: boolean): void {
  const wasLive = useRef(false)
  const { kind, text } = runAnnouncement(viewState, isLost) ?? {}
  useEffect(() => {
    // the messages of an earlier conversation are not news
    if (!isLive && !wasLive.current) return
    wasLive.current = isLive
    if (text === undefined) return
    if (kind === 'error') announceError(text)
    else announce(text)
  }, [kind, text, isLive])
  useEffect(
    () => () => {
      // The text stays in the page otherwise, such as a request for approval that is decided on another page.
      if (wasLive.current) announce('')
    },
    [],
  )
}
