import type { CardRevision } from '@troupe/client'
import { useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useRequest } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { clockTime } from '../ui/format.ts'
import { FailureNotice } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { revisionsQuery } from './card-queries.ts'
import { LineDiff } from './text-diff.tsx'

/** Lists the earlier versions of a card: commits, and texts that the server has replaced. */
export function CardRevisions({
  agent,
  version,
  text,
  onRestore,
}: {
  readonly agent: string
  /** Version of the saved card. The list is loaded again when it changes. */
  readonly version: string
  readonly text: string
  /** `undefined` if the card cannot be edited. */
  readonly onRestore: ((text: string) => void) | undefined
}): ReactElement | null {
  const { value: revisions, failure } = useRequest(revisionsQuery(agent, version))
  const [opened, setOpened] = useState<CardRevision>()
  if (failure !== undefined) return <FailureNotice failure={failure} />
  if (revisions === undefined) return null
  return (
    <Section title="Earlier versions">
      {revisions.length === 0 ? (
        <p className="text-small text-muted">
          None. Versions are the commits of the card, and the texts that were replaced since the server
          started.
        </p>
      ) : (
        <ul className="flex max-h-80 flex-col overflow-y-auto">
          {revisions.map((revision) => (
            <li key={revision.id}>
              <button
                type="button"
                onClick={() => setOpened(revision)}
                className="flex min-h-8 w-full items-baseline gap-3 rounded-md px-2 py-1 text-left text-small hover:bg-raised pointer-coarse:min-h-11"
              >
                <span className="shrink-0 text-tiny text-muted tabular">
                  {clockTime(revision.time, Date.now())}
                </span>
                <span className="min-w-0 truncate" dir="auto">
                  {revision.subject ?? 'Replaced by an edit'}
                </span>
                <span className="ml-auto shrink-0 text-tiny text-muted">{revision.author}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {opened === undefined ? null : (
        <RevisionDialog
          agent={agent}
          revision={opened}
          text={text}
          onClose={() => setOpened(undefined)}
          onRestore={onRestore}
        />
      )}
    </Section>
  )
}

/** Shows the differences between an earlier version and the text in the editor. */
function RevisionDialog({
  agent,
  revision,
  text,
  onClose,
  onRestore,
}: {
  readonly agent: string
  readonly revision: CardRevision
  readonly text: string
  readonly onClose: () => void
  readonly onRestore: ((text: string) => void) | undefined
}): ReactElement {
  const { value: earlier, failure } = useRequest({
    key: `revision ${agent} ${revision.id}`,
    load: (options) => client.cards.revision({ agent, revision: revision.id }, options),
  })
  return (
    <Dialog title={`Since ${new Date(revision.time).toLocaleString()}`} isOpen isWide onClose={onClose}>
      <div className="flex min-h-0 flex-col gap-4 overflow-auto p-5">
        {failure === undefined ? null : <FailureNotice failure={failure} />}
        {earlier === undefined ? null : (
          <LineDiff before={earlier} after={text} label="Changes since this version" />
        )}
        {onRestore === undefined ? null : (
          <div className="flex justify-end">
            <Button
              disabled={earlier === undefined}
              onClick={() => {
                onRestore(earlier ?? '')
                onClose()
              }}
            >
              Put this version into the editor
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}
