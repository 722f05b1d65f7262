import { emptyTimeline, plainText, reduceTimeline } from '@troupe/timeline'
import type { Clock } from '@troupe/schema'
import type { Style, Notes, Output } from '../terminal/terminal.ts'
import { createInterimText, type Reporter } from './reporter.ts'
import { createLiveFrame } from './live-frame.ts'
import { panelLines } from './panel-lines.ts'

/** Creates a reporter that redraws the tree of runs in place. The last frame stays on the terminal. */
export function createPanel(
  output: Output,
  { clock, style, notes }: { readonly clock: Clock; readonly style: Style; readonly notes: Notes },
): Reporter {
  const interimText = createInterimText()
  let timeline = emptyTimeline()
  let tick = 0
  let state: 'idle' | 'drawing' | 'paused' | 'ended' = 'idle'

  const toLines = (height?: number): readonly string[] =>
    panelLines(timeline, {
      now: clock.now(),
      tick,
      columns: output.columns ?? 80,
      style,
      ...(height === undefined ? {} : { height }),
    })
  const frame = createLiveFrame(output, {
    clock,
    notes,
    toLines(at) {
      tick = at.tick
      return toLines(at.height)
    },
  })
  const start = (): void => {
    state = 'drawing'
    frame.start()
  }
  return {
    onEvent(event) {
      timeline = reduceTimeline(timeline, event)
      if (state === 'idle') start()
      const interim = interimText(event)
      if (interim !== undefined) notes.stream.write(`${plainText(interim.trim(), { lines: true })}\n`)
    },
    async pause(work) {
      if (state !== 'drawing') return work()
      frame.stop()
      state = 'paused'
      try {
        return await work()
      } finally {
        if (isPaused()) start()
      }
    },
    end() {
      if (state === 'drawing') frame.stop(toLines())
      else if (state === 'paused') output.write(`${toLines().join('\n')}\n`)
      state = 'ended'
    },
  }

  function isPaused(): boolean {
    return state === 'paused'
  }
}
