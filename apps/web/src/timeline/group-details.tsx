import { formatDuration } from '@troupe/timeline'
import type { ReactElement } from 'react'
import { useIsForYou } from '../api/answerable.ts'
import { costText } from '../ui/format.ts'
import { Facts, Section } from '../ui/section.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { rowText, summaryText } from '../waterfall/row-text.ts'
import { summarizeGroup } from '../waterfall/sibling-groups.ts'
import { approvalsOf, type GroupNode } from '../waterfall/timeline-node.ts'
import { LazyChunks } from './lazy-chunks.tsx'

/** Shows the numbers of a group and the list of its runs or calls. */
export function GroupDetails({
  group,
  onSelect,
}: {
  readonly group: GroupNode
  readonly onSelect: (key: string) => void
}): ReactElement {
  const { usage, children } = group
  const isForYou = useIsForYou()
  return (
    <div className="flex min-h-0 flex-col gap-4 overflow-auto border-t border-line p-4">
      <Facts
        facts={{
          Calls: children.length,
          Result: summaryText(summarizeGroup(group)),
          Cost: usage.modelCalls === 0 ? undefined : costText(usage),
        }}
      />
      <Section level={3} title={group.isAgent ? 'Runs' : 'Calls'}>
        <div>
          <LazyChunks
            items={children}
            itemHeight={30}
            render={(node) => {
              const { label, detail } = rowText(node)
              return (
                <button
                  key={node.key}
                  type="button"
                  onClick={() => onSelect(node.key)}
                  className="flex h-[30px] w-full min-w-0 items-center gap-2 border-b border-line/60 px-1 text-left text-small hover:bg-raised pointer-coarse:h-[44px]"
                >
                  <StateBadge compact state={node.state} isForYou={isForYou(approvalsOf(node))} />
                  <span className={group.isAgent ? 'shrink-0 font-medium' : 'shrink-0 font-mono text-tiny'}>
                    {label}
                  </span>
                  <bdi dir="auto" className="min-w-0 grow truncate text-tiny text-muted">
                    {detail}
                  </bdi>
                  <span className="shrink-0 text-tiny text-muted tabular">
                    {node.to === undefined ? '' : formatDuration(node.to - node.from)}
                  </span>
                </button>
              )
            }}
          />
        </div>
      </Section>
    </div>
  )
}
