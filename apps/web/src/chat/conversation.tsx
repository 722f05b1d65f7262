import type { Agent, ModelList } from '@troupe/client'
import { Plus } from 'lucide-react'
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useState,
  type KeyboardEvent,
  type ReactElement,
} from 'react'
import { client } from '../api/client.ts'
import { useServerLink } from '../api/server-link.ts'
import { MODELS } from '../api/queries.ts'
import { useAction, useRequest } from '../api/use-request.ts'
import { usePageActions, type PageAction } from '../palette/page-actions.ts'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { BudgetButton } from './budget-button.tsx'
import { ModelSelect, NO_SETTINGS } from './chat-settings.tsx'
import { copyAnswer } from './copy-answer.ts'
import { Composer } from './composer.tsx'
import { ConversationListButton } from './conversation-list-button.tsx'
import { ConversationStart } from './conversation-start.tsx'
import { keepDraft, readDraft, type Draft } from './drafts.ts'
import { ConversationMeters } from './meters.tsx'
import type { QueuedMessage } from './message-queue.ts'
import { QueuedMessages } from './queued-messages.tsx'
import { useConversation } from './use-conversation.ts'
import { refreshSessionList } from './use-sessions.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

// The first page has no message yet, so it does not load the transcript and the timeline.
const loadMessages = async () => ({ default: (await import('./chat-message.tsx')).ChatMessageView })
const loadPanel = async () => ({ default: (await import('./run-panel.tsx')).RunPanel })
const ChatMessageView = lazy(loadMessages)
const RunPanel = lazy(loadPanel)

/** Shows a conversation with an agent, and the timeline of its last message. */
export function Conversation({
  agents,
  agent,
  sessionId,
  maxBodyBytes,
  isListShown,
  onToggleList,
  onFamily,
}: {
  readonly agents: readonly Agent[]
  readonly agent: Agent
  readonly sessionId: string | undefined
  readonly maxBodyBytes: number
  readonly isListShown: boolean
  readonly onToggleList: () => void
  /** Called with the sessions that belong to the conversation. */
  readonly onFamily: (family: ReadonlySet<string>) => void
}): ReactElement {
  const { isLost } = useServerLink()
  const [ended, setEnded] = useState<ReadonlyMap<string, number | null | undefined>>(new Map())
  const isActive = (runId: string): boolean => !ended.has(runId)
  const conversation = useConversation(agent.name, sessionId, { isActive, isLost })
  const { messages, queue, replace, family } = conversation
  const [draft, setDraft, draftKey] = useDraft(agent.name, sessionId)
  const isWriting = draft.text !== ''
  useEffect(() => {
    // They are there before the first answer is.
    if (isWriting) void Promise.all([loadMessages(), loadPanel()])
  }, [isWriting])
  const [picks, setPicks] = useState(0)
  const [settings, setSettings] = useState(NO_SETTINGS)
  const container = useStickToEnd()
  const stop = useAction((runId: string) => client.cancel(runId))
  const last = messages.at(-1)
  useEffect(() => onFamily(family), [family, onFamily])
  const noteLive = useCallback((runId: string, isLive: boolean, cost?: number | null) => {
    setEnded((before) => {
      if (before.has(runId) !== isLive && before.get(runId) === cost) return before
      const next = new Map(before)
      if (isLive) next.delete(runId)
      else next.set(runId, cost)
      return next
    })
  }, [])
  const isRunning = queue.isSending || replace.isBusy || (last !== undefined && isActive(last.runId))
  // the list shows the state of the last run
  useEffect(() => refreshSessionList(), [isRunning])
  const send = (): void => {
    queue.add({ text: draft.text.trim(), files: draft.files, settings })
    setDraft(() => ({ text: '', files: [] }))
  }
  const stopRun = (): void => {
    if (last === undefined || isLost) return
    queue.hold()
    stop.run(last.runId)
  }
  const editQueued = (message: QueuedMessage): void => {
    queue.remove(message.id)
    setDraft((before) => ({
      text: [message.text, before.text].filter((text) => text.trim() !== '').join('\n\n'),
      files: [...message.files, ...before.files],
    }))
    setPicks(picks + 1)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // keys in popups arrive here too, although the popups are elsewhere in the document
    const isInside = event.currentTarget.contains(event.target as Node)
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing || !isInside) return
    if (isRunning) stopRun()
  }
  const copy = useAction(copyAnswer)
  const models = useRequest(MODELS).value?.models ?? []
  usePageActions([
    {
      id: 'new',
      label: `New conversation with ${agent.name}`,
      run: () => goTo({ page: 'chat', agent: agent.name }),
    },
    ...(isRunning ? [{ id: 'stop', label: 'Stop the answer', keys: 'Esc', run: stopRun }] : []),
    ...(last === undefined || isRunning
      ? []
      : [{ id: 'copy', label: 'Copy the last answer', run: () => copy.run(last.runId) }]),
    ...modelActions(models, (model) => setSettings({ ...settings, model })),
  ])
  const failure = replace.failure ?? stop.failure ?? copy.failure
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col" onKeyDown={onKeyDown}>
      <PageHead title="Chat">
        <ConversationListButton isListShown={isListShown} onToggle={onToggleList} />
        {last === undefined ? null : (
          <ConversationMeters
            lastRunId={last.runId}
            earlierCosts={messages.slice(0, -1).map(({ runId, cost }) => cost ?? ended.get(runId))}
            maxCost={settings.budget.maxCost}
          />
        )}
        <Select
          aria-label="Agent"
          className="max-w-56"
          value={agent.name}
          onChange={(event) => goTo({ page: 'chat', agent: event.target.value })}
        >
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <Button onClick={() => goTo({ page: 'chat', agent: agent.name })} disabled={messages.length === 0}>
          <Plus aria-hidden="true" className="size-4" /> New
        </Button>
      </PageHead>
      <div className="grid min-h-0 grow lg:grid-cols-[minmax(0,1fr)_minmax(20rem,36%)]">
        <div className="flex min-h-0 min-w-0 flex-col">
          <div ref={container} className="min-h-0 grow overflow-auto">
            <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-6">
              <ConversationStart
                agent={agent}
                conversation={conversation}
                onPick={(text) => {
                  setDraft((before) => ({ ...before, text }))
                  setPicks(picks + 1)
                }}
              />
              <Suspense>
                {messages.map((message) => (
                  <ChatMessageView
                    key={message.runId}
                    runId={message.runId}
                    text={message.text}
                    files={message.files}
                    versions={message.versions}
                    label={message.label}
                    agent={agent.name}
                    onLive={noteLive}
                    onReplace={(text) => replace.run(message, text, settings)}
                    canReplace={!isRunning && !isLost}
                    onOpenRun={() => goTo({ page: 'run', runId: message.runId })}
                  />
                ))}
              </Suspense>
            </div>
          </div>
          <div className="mx-auto w-full max-w-3xl px-4 pb-4 sm:px-6">
            {failure === undefined ? null : <FailureNotice failure={failure} className="mb-2" />}
            <QueuedMessages
              queue={queue.messages}
              isLost={isLost}
              onEdit={editQueued}
              onRemove={queue.remove}
              onSend={queue.release}
            />
            <Composer
              draft={draft}
              onDraft={setDraft}
              agent={agent.name}
              focusKey={`${draftKey} ${picks}`}
              history={messages.map(({ text }) => text)}
              isRunning={isRunning}
              isLost={isLost}
              maxBodyBytes={maxBodyBytes}
              onSend={send}
              onStop={stopRun}
            >
              <BudgetButton
                budget={settings.budget}
                onChange={(budget) => setSettings({ ...settings, budget })}
              />
              <ModelSelect model={settings.model} onChange={(model) => setSettings({ ...settings, model })} />
            </Composer>
          </div>
        </div>
        <aside className="hidden min-h-0 min-w-0 border-l border-line bg-panel lg:block">
          {last === undefined ? (
            <EmptyState title="No runs yet">
              Send a message. The calls of agents and tools, their times and their costs appear here.
            </EmptyState>
          ) : (
            <Suspense>
              <RunPanel key={last.runId} runId={last.runId} />
            </Suspense>
          )}
        </aside>
      </div>
    </div>
  )
}

/** Returns an action for each model, and for the models of the cards, if there is a choice. */
function modelActions(
  models: ModelList['models'],
  onChange: (model: string | undefined) => void,
): readonly PageAction[] {
  if (models.length < 2) return []
  return [
    ...models.map(({ id }) => ({ id: `model ${id}`, label: `Use the model ${id}`, run: () => onChange(id) })),
    { id: 'models', label: 'Use the models of the cards', run: () => onChange(undefined) },
  ]
}

/** Returns the draft of the shown conversation, a function that changes it, and its key. */
function useDraft(
  agent: string,
  sessionId: string | undefined,
): readonly [Draft, (change: (before: Draft) => Draft) => void, string] {
  const key = sessionId === undefined ? `new/${agent}` : `session/${sessionId}`
  const [state, setState] = useState(() => ({ key, draft: readDraft(key) }))
  const current = state.key === key ? state : { key, draft: readDraft(key) }
  if (current !== state) setState(current)
  const setDraft = useCallback(
    (change: (before: Draft) => Draft) => {
      setState((before) => {
        const draft = change(before.key === key ? before.draft : readDraft(key))
        keepDraft(key, draft)
        return { key, draft }
      })
    },
    [key],
  )
  return [current.draft, setDraft, key]
}
