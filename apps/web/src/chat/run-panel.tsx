import { useState, type ReactElement } from 'react'
import { useRun } from '../feed/use-run.ts'
import { rootOf } from '../reducers/run-view-state.ts'
import { hrefOf } from '../route/route.ts'
import { Inspector } from '../timeline/inspector.tsx'
import { WaterfallView } from '../timeline/waterfall-view.tsx'

/** Shows the timeline of one message beside the conversation. */
export function RunPanel({ runId }: { readonly runId: string }): ReactElement {
  const { viewState } = useRun(runId)
  const root = rootOf(viewState)
  const [selected, setSelected] = useState<string>()
  return (
    <section aria-label="Timeline" className="flex h-full min-h-0 flex-col">
      <div className="flex h-11 shrink-0 items-center justify-between border-b border-line px-4 text-small">
        <h2 className="font-semibold">Timeline</h2>
        <a href={hrefOf({ page: 'run', runId })} className="text-accent hover:underline">
          Open
        </a>
      </div>
      <div className="min-h-0 overflow-auto">
        {root === undefined ? null : (
          <WaterfallView viewState={viewState} selected={selected} onSelect={setSelected} />
        )}
      </div>
      {selected === undefined ? null : (
        <div className="flex min-h-[45%] flex-col border-t border-line">
          <Inspector viewState={viewState} selected={selected} onSelect={setSelected} />
        </div>
      )}
    </section>
  )
}
